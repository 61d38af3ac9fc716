/** One request to the API: root, slash at the end, credentials, then the path's handler. */
import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "./launch-input.ts";
import { ApiError, createDetailError, FORBIDDEN, NOT_FOUND } from "./lists.ts";
import { type Json, ROOT } from "./present.ts";
import type { Profile } from "./profiles.ts";
import type { Answer, Call } from "./route-access.ts";
import { getPing } from "./routes.ts";
import { findTextRefusal } from "./stdout.ts";
import type { Token, User } from "./types.ts";
import type { World } from "./world.ts";

export interface Request {
	readonly method: string;
	/** Path and query. */
	readonly target: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

const NO_CREDENTIALS = "Authentication credentials were not provided. To establish a login session, visit /api/login/.";
const CHALLENGE = { "WWW-Authenticate": "Bearer realm=api authorization_url=/api/o/authorize/" };
const UNKNOWN = "The requested resource could not be found.";
const NOT_ACCEPTABLE = "Could not satisfy the request Accept header.";
const GATEWAY = "/api/gateway/v1/";
const GATEWAY_VERSION = "2.5";
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

type Handler = (call: Call, ...ids: number[]) => Answer;

interface Compiled {
	readonly pattern: RegExp;
	readonly methods: Record<string, Handler>;
}

/** The world that answers, and its compiled routes. */
interface ApiState {
	readonly world: World;
	readonly routes: Compiled[];
}

function identifyUser(api: ApiState, headers: IncomingHttpHeaders): { user: User; scope: "read" | "write" } | null {
	const [scheme = "", value = ""] = (headers.authorization ?? "").split(" ", 2);
	if (scheme.toLowerCase() === api.world.profile.scheme.toLowerCase() && api.world.profile.bearer) {
		const token = api.world.tokens.find(({ text, revoked }) => text === value && !revoked);
		return token === undefined ? null : { user: token.user, scope: token.scope };
	}
	if (scheme.toLowerCase() !== "basic") return null;
	const [username = "", ...rest] = Buffer.from(value, "base64").toString("utf8").split(":");
	const user = api.world.users.find((one) => one.username === username && one.password === rest.join(":"));
	return user === undefined ? null : { user, scope: "write" };
}

function readBody(request: Request): Json {
	if (request.body === "") return {};
	if (!(request.headers["content-type"] ?? "").startsWith("application/json")) {
		throw createDetailError(
			415,
			"You did not use correct Content-Type in your HTTP request. If you are using our REST API, the Content-Type must be application/json",
		);
	}
	let parsed: unknown;
	try {
		parsed = JSON.parse(request.body);
	} catch {
		throw createDetailError(
			400,
			"JSON parse error - Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\nPossible cause: trailing comma.",
		);
	}
	if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
		throw createDetailError(400, "JSON parse error - not a JSON object");
	}
	return parsed as Json;
}

function routeRequest(api: ApiState, request: Request): Answer {
	const [path = "", search = ""] = request.target.split("?", 2);
	const query = new URLSearchParams(search);
	const { root } = api.world.profile;
	if (path === root.replace(/v\d\/$/, "")) return { status: 200, body: getRoot(api.world.profile) };
	if (path === "/api/o/token/" && request.method === "POST" && !api.world.profile.gateway)
		return grantToken(api, request);
	if (api.world.profile.gateway && path.startsWith(GATEWAY))
		return answerGateway(api, request, path.slice(GATEWAY.length));
	if (!path.startsWith(root)) {
		if (path.startsWith("/api/") && !path.endsWith("/")) return buildSlashRedirect(path, search);
		throw createDetailError(404, UNKNOWN);
	}
	if (!path.endsWith("/")) return buildSlashRedirect(path, search);
	const rest = path.slice(root.length);
	if (rest === "ping/") return { status: 200, body: getPing(api.world) };
	const found = api.routes.find(({ pattern }) => pattern.test(rest));
	const accept = request.headers.accept ?? "*/*";
	if (found !== undefined && !isAcceptable(accept, getTypes(rest, query))) throw createDetailError(406, NOT_ACCEPTABLE);
	const identity = identifyUser(api, request.headers);
	if (identity === null) throw createUnauthenticatedError(api);
	if (identity.scope === "read" && !SAFE.has(request.method)) throw createDetailError(403, FORBIDDEN);
	if (found === undefined) throw createDetailError(404, UNKNOWN);
	const handler = found.methods[request.method];
	const allow = Object.keys(found.methods).join(", ");
	if (request.method === "OPTIONS") return { status: 200, body: describeEndpoint(rest), headers: { Allow: allow } };
	if (handler === undefined) {
		throw new ApiError(405, { detail: `Method "${request.method}" not allowed.` }, { Allow: allow });
	}
	if (!api.world.profile.eventLimit && rest.endsWith("/job_events/") && query.has("limit")) {
		throw createDetailError(400, "JobEvent has no field named 'limit'");
	}
	const ids = (found.pattern.exec(rest) ?? []).slice(1).map(Number);
	const { user } = identity;
	const call: Call = { method: request.method, path, query, accept, user, body: () => readBody(request) };
	try {
		return handler(call, ...ids);
	} catch (error) {
		const format = query.get("format") ?? "";
		const asText = rest.endsWith("/stdout/") && ["txt", "ansi"].includes(format);
		if (!(error instanceof ApiError) || !asText) throw error;
		const text = String((error.body as { detail?: unknown }).detail ?? "");
		return findTextRefusal(error.status === 403 ? 403 : 404, text);
	}
}

function createUnauthenticatedError(api: ApiState): ApiError {
	return api.world.profile.gateway
		? createDetailError(401, "Authentication credentials were not provided.")
		: new ApiError(401, { detail: NO_CREDENTIALS }, CHALLENGE);
}

/** The gateway's own part: whether it is there, who asks, and tokens. */
function answerGateway(api: ApiState, request: Request, path: string): Answer {
	if (path === "ping/") return { status: 200, body: { version: GATEWAY_VERSION, status: "good" } };
	const identity = identifyUser(api, request.headers);
	if (identity === null) throw createUnauthenticatedError(api);
	const { user } = identity;
	if (path === "me/" && request.method === "GET") {
		const one = { id: user.id, username: user.username, is_superuser: user.superuser };
		return { status: 200, body: { count: 1, next: null, previous: null, results: [one] } };
	}
	if (path !== "tokens/" || request.method !== "POST") throw createDetailError(404, UNKNOWN);
	const { description = "", scope } = readBody(request);
	const made = addToken(api, user, scope === "read" ? "read" : "write", String(description));
	return { status: 201, body: { id: made.id, description: made.description, scope: made.scope, token: made.text } };
}

function addToken(api: ApiState, user: User, scope: "read" | "write", description: string): Token {
	const id = api.world.ids.token++;
	const text = `granted${id}`.padEnd(30, "x");
	const made: Token = { id, text, user, scope, description, created: api.world.time.now(), revoked: false };
	api.world.tokens.push(made);
	return made;
}

function grantToken(api: ApiState, request: Request): Reply {
	const form = new URLSearchParams(request.body);
	const user = api.world.users.find(
		(one) => one.username === form.get("username") && one.password === form.get("password"),
	);
	if (user === undefined) {
		return { status: 400, body: { error: "invalid_grant", error_description: "Invalid credentials given." } };
	}
	const scope = form.get("scope") === "read" ? "read" : "write";
	const { text } = addToken(api, user, scope, "");
	const more = { expires_in: 31_536_000_000, token_type: "Bearer", scope, refresh_token: `${text}r` };
	return { status: 200, body: { access_token: text, ...more } };
}

function answerRequest(api: ApiState, request: Request): Answer {
	try {
		return routeRequest(api, request);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		const { status, body, headers } = error;
		const isMissing = status === 404 && (body as { detail?: unknown }).detail === NOT_FOUND;
		return {
			status,
			body: isMissing && api.world.profile.namesMissing ? findMissingPlace(request.target) : body,
			headers,
		};
	}
}

function handleRequest(api: ApiState, request: Request): Answer {
	const answer = answerRequest(api, request);
	const isVersionShown = !api.world.profile.hidesVersion || identifyUser(api, request.headers) !== null;
	const version = isVersionShown ? { "X-API-Product-Version": api.world.version } : {};
	const shown = {
		...answer,
		headers: { "X-API-Product-Name": api.world.profile.product, ...version, ...answer.headers },
	};
	return api.world.profile.root === ROOT ? shown : withRoot(shown, api.world.profile.root);
}

export function createApi(world: World, tables: readonly Map<string, Record<string, Handler>>[]) {
	const api: ApiState = {
		world,
		routes: tables.flatMap((table) =>
			[...table].map(([path, methods]) => ({
				pattern: new RegExp(`^${path.replaceAll(":id", "(\\d+)")}$`),
				methods,
			})),
		),
	};

	return {
		handle: (request: Request) => handleRequest(api, request),
	};
}
export type Api = ReturnType<typeof createApi>;

/** Media types in which a path can answer. */
function getTypes(path: string, query: URLSearchParams): readonly string[] {
	if (!path.endsWith("/stdout/")) return ["application/json", "text/html"];
	const format = query.get("format");
	if (format === null) return ["text/plain", "application/json", "text/html"];
	return [{ json: "application/json", html: "text/html", api: "text/html" }[format] ?? "text/plain"];
}

/** Whether an `Accept` header names one of the types, or a range that it is in. */
function isAcceptable(accept: string, types: readonly string[]): boolean {
	const ranges = accept.split(",").map((range) => (range.split(";")[0] ?? "").trim().toLowerCase());
	return ranges.some(
		(range) => range === "*/*" || types.some((type) => range === type || range === `${type.split("/")[0]}/*`),
	);
}

/** A path without its last slash: the client is sent there, and mostly with another method. */
const buildSlashRedirect = (path: string, search: string): Answer => ({
	status: 301,
	type: "text/html; charset=utf-8",
	text: "",
	headers: { Location: `${path}/${search === "" ? "" : `?${search}`}` },
});

/** `job_templates/7/launch/` asks for a `JobTemplate`. */
function findMissingPlace(target: string): Json {
	const words = /\/v\d\/(\w+?)s?\//.exec(target)?.[1] ?? "object";
	const model = words.replace(/(^|_)(\w)/g, (_match, _before, letter: string) => letter.toUpperCase());
	return { detail: `No ${model === "Inventorie" ? "Inventory" : model} matches the given query.` };
}

/** Links of an answer begin with the root under which it was asked for. */
function withRoot(answer: Answer, root: string): Answer {
	const moved = <T>(value: T): T => {
		if (typeof value === "string") return (value.startsWith(ROOT) ? root + value.slice(ROOT.length) : value) as T;
		if (Array.isArray(value)) return value.map(moved) as T;
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, moved(one)])) as T;
	};
	const headers = moved(answer.headers ?? {});
	return "text" in answer ? { ...answer, headers } : { ...answer, body: moved(answer.body), headers };
}

function getRoot({ root, product }: Profile): Json {
	const version = /v\d/.exec(root)?.[0] ?? "v2";
	return {
		description: `${product} REST API`,
		current_version: root,
		available_versions: { [version]: root },
		oauth2: "/api/o/",
		custom_logo: "",
		custom_login_info: "",
		login_redirect_override: "",
	};
}

const describeEndpoint = (path: string): Json => ({
	name: path
		.split("/")
		.filter((word) => !/^\d*$/.test(word))
		.join(" "),
	description: "",
	renders: ["application/json", "text/html"],
	parses: ["application/json"],
});
