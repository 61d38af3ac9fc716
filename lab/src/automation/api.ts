/** One request to the API: root, slash at the end, credentials, then the path's handler. */
import type { IncomingHttpHeaders } from "node:http";
import type { Reply } from "./launch.ts";
import { ApiError, detail, FORBIDDEN } from "./lists.ts";
import type { Json } from "./present.ts";
import { type Answer, type Call, pingOf } from "./routes.ts";
import { textRefusal } from "./stdout.ts";
import type { User } from "./types.ts";
import type { World } from "./world.ts";

export interface Request {
	readonly method: string;
	/** Path and query. */
	readonly target: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** Which releases there are to be: where the API is, and which credentials it takes. */
export interface Edition {
	readonly roots: readonly string[];
	readonly bearer: boolean;
	readonly basic: boolean;
	/** The header's word for a token: `Bearer`, `Token` before Tower 3.3. */
	readonly scheme: string;
	readonly product: string;
	/** `job_events` understands `limit`. */
	readonly eventLimit: boolean;
}

export const EDITIONS = {
	awx: { roots: ["/api/v2/"], bearer: true, basic: true, scheme: "Bearer", product: "AWX", eventLimit: true },
	old_awx: { roots: ["/api/v2/"], bearer: true, basic: true, scheme: "Bearer", product: "AWX", eventLimit: false },
	old_tower: { roots: ["/api/v1/"], bearer: true, basic: true, scheme: "Token", product: "Tower", eventLimit: false },
	new_awx: { roots: ["/api/v2/"], bearer: false, basic: true, scheme: "Bearer", product: "AWX", eventLimit: true },
	gateway: {
		roots: ["/api/controller/v2/"],
		bearer: true,
		basic: true,
		scheme: "Bearer",
		eventLimit: true,
		product: "Red Hat Ansible Automation Platform",
	},
} as const satisfies Record<string, Edition>;
export type EditionName = keyof typeof EDITIONS;

const NO_CREDENTIALS = "Authentication credentials were not provided. To establish a login session, visit /api/login/.";
const CHALLENGE = { "WWW-Authenticate": "Bearer realm=api authorization_url=/api/o/authorize/" };
const UNKNOWN = "The requested resource could not be found.";
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

type Handler = (call: Call, ...ids: number[]) => Answer;

interface Compiled {
	readonly pattern: RegExp;
	readonly methods: Record<string, Handler>;
}

export function createApi(world: World, edition: Edition, tables: readonly Map<string, Record<string, Handler>>[]) {
	const routes: Compiled[] = tables.flatMap((table) =>
		[...table].map(([path, methods]) => ({
			pattern: new RegExp(`^${path.replaceAll(":id", "(\\d+)")}$`),
			methods,
		})),
	);

	function identify(headers: IncomingHttpHeaders): { user: User; scope: "read" | "write" } | null {
		const [scheme = "", value = ""] = (headers.authorization ?? "").split(" ", 2);
		if (scheme.toLowerCase() === edition.scheme.toLowerCase() && edition.bearer) {
			const token = world.tokens.find(({ text, revoked }) => text === value && !revoked);
			return token === undefined ? null : { user: token.user, scope: token.scope };
		}
		if (scheme.toLowerCase() !== "basic" || !edition.basic) return null;
		const [username = "", ...rest] = Buffer.from(value, "base64").toString("utf8").split(":");
		const user = world.users.find((one) => one.username === username && one.password === rest.join(":"));
		return user === undefined ? null : { user, scope: "write" };
	}

	function readBody(request: Request): Json {
		if (request.body === "") return {};
		if (!(request.headers["content-type"] ?? "").startsWith("application/json")) {
			throw detail(
				415,
				"You did not use correct Content-Type in your HTTP request. If you are using our REST API, the Content-Type must be application/json",
			);
		}
		let parsed: unknown;
		try {
			parsed = JSON.parse(request.body);
		} catch {
			throw detail(
				400,
				"JSON parse error - Expecting property name enclosed in double quotes: line 1 column 2 (char 1)\nPossible cause: trailing comma.",
			);
		}
		if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
			throw detail(400, "JSON parse error - not a JSON object");
		}
		return parsed as Json;
	}

	function route(request: Request): Answer {
		const [path = "", search = ""] = request.target.split("?", 2);
		const query = new URLSearchParams(search);
		const aboveRoot = edition.roots.map((root) => root.replace(/v\d\/$/, ""));
		if (aboveRoot.includes(path)) return { status: 200, body: rootOf(edition) };
		if (path === "/api/o/token/" && request.method === "POST") return grant(request);
		const root = edition.roots.find((one) => path.startsWith(one));
		if (root === undefined) {
			if (path.startsWith("/api/") && !path.endsWith("/")) return moved(path, search);
			throw detail(404, UNKNOWN);
		}
		if (!path.endsWith("/")) return moved(path, search);
		const rest = path.slice(root.length);
		if (rest === "ping/") return { status: 200, body: pingOf(world) };
		const found = routes.find(({ pattern }) => pattern.test(rest));
		const identity = identify(request.headers);
		if (identity === null) throw new ApiError(401, { detail: NO_CREDENTIALS }, CHALLENGE);
		if (identity.scope === "read" && !SAFE.has(request.method)) throw detail(403, FORBIDDEN);
		if (found === undefined) throw detail(404, UNKNOWN);
		const handler = found.methods[request.method];
		const allow = Object.keys(found.methods).join(", ");
		if (request.method === "OPTIONS") return { status: 200, body: describe(rest), headers: { Allow: allow } };
		if (handler === undefined) {
			throw new ApiError(405, { detail: `Method "${request.method}" not allowed.` }, { Allow: allow });
		}
		if (!edition.eventLimit && rest.endsWith("/job_events/") && query.has("limit")) {
			throw detail(400, "JobEvent has no field named 'limit'");
		}
		const ids = (found.pattern.exec(rest) ?? []).slice(1).map(Number);
		const { user } = identity;
		const accept = request.headers.accept ?? "*/*";
		const call: Call = { method: request.method, path, query, accept, user, body: () => readBody(request) };
		try {
			return handler(call, ...ids);
		} catch (error) {
			const format = query.get("format") ?? "";
			const asText = rest.endsWith("/stdout/") && ["txt", "ansi"].includes(format);
			if (!(error instanceof ApiError) || !asText) throw error;
			const text = String((error.body as { detail?: unknown }).detail ?? "");
			return textRefusal(error.status === 403 ? 403 : 404, text);
		}
	}

	function grant(request: Request): Reply {
		const form = new URLSearchParams(request.body);
		const user = world.users.find(
			(one) => one.username === form.get("username") && one.password === form.get("password"),
		);
		if (user === undefined) {
			return { status: 400, body: { error: "invalid_grant", error_description: "Invalid credentials given." } };
		}
		const scope = form.get("scope") === "read" ? "read" : "write";
		const text = `granted${world.ids.token}`.padEnd(30, "x");
		const created = world.time.now();
		world.tokens.push({ id: world.ids.token++, text, user, scope, description: "", created, revoked: false });
		const more = { expires_in: 31_536_000_000, token_type: "Bearer", scope, refresh_token: `${text}r` };
		return { status: 200, body: { access_token: text, ...more } };
	}

	return {
		handle(request: Request): Answer {
			try {
				return route(request);
			} catch (error) {
				if (!(error instanceof ApiError)) throw error;
				return { status: error.status, body: error.body, headers: error.headers };
			}
		},
	};
}
export type Api = ReturnType<typeof createApi>;

/** A path without its last slash: the client is sent there, and mostly with another method. */
const moved = (path: string, search: string): Answer => ({
	status: 301,
	type: "text/html; charset=utf-8",
	text: "",
	headers: { Location: `${path}/${search === "" ? "" : `?${search}`}` },
});

function rootOf(edition: Edition): Json {
	const [root = "/api/v2/"] = edition.roots;
	const version = /v\d/.exec(root)?.[0] ?? "v2";
	return {
		description: `${edition.product} REST API`,
		current_version: root,
		available_versions: { [version]: root },
		oauth2: "/api/o/",
		custom_logo: "",
		custom_login_info: "",
		login_redirect_override: "",
	};
}

const describe = (path: string): Json => ({
	name: path
		.split("/")
		.filter((word) => !/^\d*$/.test(word))
		.join(" "),
	description: "",
	renders: ["application/json", "text/html"],
	parses: ["application/json"],
});
