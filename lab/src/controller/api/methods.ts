/** Requests without an object: login, refresh, logout, domains, refreshing a subscription. */
import type { createLogin } from "../auth/login.ts";
import type { Sessions } from "../auth/sessions.ts";
import { ApiError } from "../errors.ts";
import type { Faults } from "../faults.ts";
import type { Target } from "../http/target.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { type Format, formatEnvelope, writeTree } from "../tree.ts";
import { readLogin } from "../write/body.ts";
import { buildHtmlReply, getType } from "./replies.ts";
import { type ApiRequest, type ApiResult, type Caller, FREE } from "./types.ts";

export interface MethodParts {
	readonly login: ReturnType<typeof createLogin>;
	readonly sessions: Sessions;
	readonly subscriptions: Subscriptions;
	readonly faults: Faults;
	/** Adds `Secure` to the session cookie; over plain HTTP a cookie jar would not send it back. */
	readonly secure: boolean;
	readonly authenticate: (request: ApiRequest, challenge: string | undefined) => Caller;
}

type Method = (request: ApiRequest, target: Target) => ApiResult;

export function createMethods({ login, sessions, subscriptions, faults, secure, authenticate }: MethodParts) {
	function buildAnswer(
		target: string,
		format: Format,
		items: readonly string[],
		cost: "login" | "logout" | "query",
		token: string | null,
	): ApiResult {
		const body = formatEnvelope(
			format,
			{ total: faults.fire("no_total_count", target) === null ? items.length : null, subscriptionId: null },
			items,
		);
		const cookie = `APIC-cookie=${token ?? ""}; path=/; HttpOnly;${secure ? " Secure;" : ""} SameSite=Strict`;
		const reply = { status: 200, type: getType(format), body };
		return {
			cost: { ...FREE, kind: cost },
			reply: token === null ? reply : { ...reply, headers: { "Set-Cookie": cookie } },
		};
	}

	function findThrottleAnswer(request: ApiRequest): ApiResult | null {
		const fired = faults.fire("login_throttled", request.target);
		return fired === null ? null : { cost: FREE, reply: buildHtmlReply(Number(fired.status)) };
	}

	const aaaLogin: Method = (request, { format, params }) => {
		const refused = findThrottleAnswer(request);
		if (refused !== null) return refused;
		const refusal = faults.fire("login_refused", request.target);
		if (refusal !== null) throw new ApiError(401, String(refusal.text));
		const { name, password } = readLogin(format, request.body);
		const big = faults.fire("big_login", request.target) !== null;
		const made = login.login(name, password, params.get("gui-token-request") === "yes", big);
		return buildAnswer(request.target, format, [writeTree(format, made.node)], "login", made.token);
	};

	const aaaRefresh: Method = (request, { format, params }) => {
		const { session } = authenticate(request, params.get("challenge"));
		const refused = findThrottleAnswer(request);
		if (refused !== null) return refused;
		if (session === null) throw new ApiError(400, "Request failed, a signed request has no session to refresh");
		const cls = faults.fire("refresh_key", request.target) === null ? "aaaLogin" : "aaaRefresh";
		const { token, node } = login.refresh(session, cls);
		return buildAnswer(request.target, format, [writeTree(format, node)], "login", token);
	};

	const aaaLogout: Method = (request, { format, params }) => {
		const { session } = authenticate(request, params.get("challenge"));
		if (session !== null) {
			sessions.close(session);
			subscriptions.drop(session);
		}
		return buildAnswer(request.target, format, [], "logout", null);
	};

	const aaaListDomains: Method = (request, { format }) => {
		const domains = login.listDomains();
		// Items here are the attributes themselves, without a class around them.
		const items = domains.map((domain) =>
			format === "json" ? JSON.stringify(domain) : writeTree("xml", { cls: "aaaLoginDomain", attributes: domain }),
		);
		return buildAnswer(request.target, format, items, "query", null);
	};

	const subscriptionRefresh: Method = (request, { format, params }) => {
		const { session } = authenticate(request, params.get("challenge"));
		subscriptions.refresh(session, (params.get("id") ?? "").split(","));
		return buildAnswer(request.target, format, [], "query", null);
	};

	const methods: ReadonlyMap<string, Method> = new Map([
		["POST aaaLogin", aaaLogin],
		["GET aaaRefresh", aaaRefresh],
		["POST aaaRefresh", aaaRefresh],
		["POST aaaLogout", aaaLogout],
		["GET aaaListDomains", aaaListDomains],
		["GET subscriptionRefresh", subscriptionRefresh],
	]);

	return function method(request: ApiRequest, target: Target, name: string): ApiResult {
		const found = methods.get(`${request.method} ${name}`);
		if (found === undefined) throw new ApiError(400, `Request failed, unknown request ${request.method} ${name}`);
		return found(request, target);
	};
}
