/** Typed HTTP calls from the contracts. Signs in and renews the access token before it expires. */
import type { ContractOf, RawAnswer, RouteContract, RoutePath, RoutesById } from "@weft/contracts";
import { authRoutes, MAX_PAGE_SIZE, mfaRoutes, oidcRoutes } from "@weft/contracts/browser";
import type * as z from "zod";
import { type RetryOptions, withRetries } from "./retry.ts";
import { findTokenProblem } from "./token-text.ts";

type Part<C, Name extends "params" | "query" | "body"> = C extends { readonly [N in Name]: infer S extends z.ZodType }
	? Name extends "params"
		? { [K in keyof z.input<S>]: z.input<S>[K] | number }
		: z.input<S>
	: undefined;

/** Parts that a call must have; a body may be left out where its contract says so. */
type NeededPart<C, Name extends "params" | "query" | "body"> =
	Part<C, Name> extends undefined
		? never
		: Name extends "body"
			? C extends { readonly bodyOptional: true }
				? never
				: Name
			: Name;

type Input<C extends RouteContract> = {
	[Name in "params" | "query" | "body" as NeededPart<C, Name>]: Part<C, Name>;
} & (C extends { readonly bodyOptional: true } ? { readonly body?: Part<C, "body"> } : unknown);

/** What a call takes: only the parts that its contract has. */
export type Call<R extends RoutePath> = Input<ContractOf<R>>;

type Answer<C extends RouteContract> = {
	[Status in keyof C["answers"] & (200 | 201 | 202)]: C["answers"][Status] extends z.ZodType
		? z.output<C["answers"][Status]>
		: C["answers"][Status] extends RawAnswer
			? string
			: never;
}[keyof C["answers"] & (200 | 201 | 202)];

type Success<R extends RoutePath> = Answer<ContractOf<R>>;

type ListContract = RouteContract & {
	readonly method: "GET";
	readonly query: z.ZodType;
	readonly answers: { readonly 200: z.ZodType<{ results: unknown[]; next: string | null }> };
};
type ListId = { [Id in keyof RoutesById]: RoutesById[Id] extends ListContract ? Id : never }[keyof RoutesById];

/** Routes that answer with the list envelope: contracts, and addresses of the service's own. */
export type ListRoute = ListContract | (RoutePath & { readonly id: ListId });

type List<R extends ListRoute> = Extract<ContractOf<R>, ListContract>;

/** An item of a list. */
export type ItemOf<R extends ListRoute> = z.output<List<R>["answers"][200]>["results"][number];

/** A refusal or failure, with the body as the service sent it. */
export class WeftError extends Error {
	override readonly name = "WeftError";
	readonly status: number;
	readonly body: unknown;
	/** Seconds to wait before asking again; null where the service does not say. */
	readonly retryAfter: number | null;
	/** For those who look into the service's log. */
	readonly requestId: string | null;

	constructor(response: Pick<Response, "status" | "headers">, body: unknown, route: RoutePath) {
		const detail = (body as { detail?: unknown } | null)?.detail;
		super(`${route.id} answered ${response.status}: ${typeof detail === "string" ? detail : JSON.stringify(body)}`);
		this.status = response.status;
		this.body = body;
		const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
		this.retryAfter = Number.isFinite(wait) ? wait : null;
		this.requestId = response.headers.get("x-request-id");
	}
}

/** Tokens of a session. The refresh token renews the short-lived access token. */
export interface Tokens {
	readonly access: string;
	readonly refresh: string;
}

export interface ClientOptions {
	/** Address of the service, without `/api`. */
	readonly baseUrl: string;
	readonly fetch?: typeof fetch;
	/** Milliseconds since 1970; for tests. */
	readonly now?: () => number;
	/** Called with new tokens, and with null when the session ends; `cause` is the refusal. */
	readonly onTokens?: (tokens: Tokens | null, cause?: WeftError) => void;
	/** Wraps each renewal, so that several clients of one session can take turns. */
	readonly exclusively?: (renew: () => Promise<void>) => Promise<void>;
	/** An API token (`weft_pat_…`), instead of signing in. */
	readonly token?: string;
	/** Repetitions of refused calls; none where it is absent. */
	readonly retry?: RetryOptions;
}

export interface CallOptions {
	readonly signal?: AbortSignal | undefined;
	/**
	 * Whether the call may be repeated after 503 and a lost connection. GET may; for other methods
	 * say so, for example when the body has an idempotency key.
	 */
	readonly isSafe?: boolean | undefined;
}

/** Renewed this long before its end (specification, Limits). */
const RENEW_MS = 60_000;

interface Held extends Tokens {
	/** Of the access token, in milliseconds since 1970. */
	readonly expires: number;
}

/** The options of a client, and the tokens of its session. */
interface SessionState {
	readonly request: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
	readonly now: () => number;
	readonly onTokens: (tokens: Tokens | null, cause?: WeftError) => void;
	readonly exclusively: (renew: () => Promise<void>) => Promise<void>;
	readonly token: string | undefined;
	readonly retry: RetryOptions;
	readonly base: string;
	held: Held | null;
	renewing: Promise<void> | null;
}

function holdTokens(session: SessionState, tokens: Tokens | null): void {
	session.held = tokens && { ...tokens, expires: computeExpiry(tokens.access) };
}

/** Holds new tokens and tells of them. */
function changeTokens(session: SessionState, tokens: Tokens | null, cause?: WeftError): void {
	holdTokens(session, tokens);
	session.onTokens(tokens, cause);
}

const isRenewalDue = (session: SessionState): boolean =>
	session.held !== null && session.held.expires - session.now() < RENEW_MS;

async function getAuthorization(session: SessionState): Promise<Record<string, string>> {
	if (session.token !== undefined) return { authorization: `Bearer ${session.token.trim()}` };
	if (isRenewalDue(session)) {
		session.renewing ??= session
			.exclusively(async () => {
				// Another client of the session may have done it while this one waited for its turn.
				if (isRenewalDue(session)) await renewTokens(session);
			})
			.finally(() => {
				session.renewing = null;
			});
		await session.renewing;
	}
	return session.held === null ? {} : { authorization: `Bearer ${session.held.access}` };
}

async function renewTokens(session: SessionState): Promise<void> {
	if (session.held === null) return;
	const { refresh } = session.held;
	try {
		const { access } = await sendRequest(session, authRoutes.refresh, { body: { refresh } }, {});
		changeTokens(session, { access, refresh });
	} catch (error) {
		if (error instanceof WeftError && error.status === 401) changeTokens(session, null, error);
		throw error;
	}
}

async function sendRequest<R extends RoutePath>(
	session: SessionState,
	route: R,
	input: Call<R>,
	headers: Record<string, string>,
	{ signal }: CallOptions = {},
): Promise<Success<R>> {
	const { params, query, body } = input as { params?: object; query?: object; body?: unknown };
	const response = await session.request(session.base + getPath(route.path, params, query), {
		method: route.method,
		headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		...(signal === undefined ? {} : { signal }),
	});
	const text = await response.text();
	const isJson = response.headers.get("content-type")?.startsWith("application/json");
	const answer: unknown = isJson ? JSON.parse(text) : text;
	if (!response.ok) throw new WeftError(response, answer, route);
	return answer as Success<R>;
}

/** Calls a route with the caller's authorization, and again where that is possible and safe. */
async function callRoute<R extends RoutePath>(
	session: SessionState,
	route: R,
	input: Call<R>,
	options: CallOptions = {},
) {
	const once = async () => {
		const headers = route.auth === "bearer" ? await getAuthorization(session) : {};
		try {
			return await sendRequest(session, route, input, headers, options);
		} catch (error) {
			// The session has ended elsewhere: a token of it that is still held helps nobody.
			const ended = error instanceof WeftError && error.status === 401 && route.auth === "bearer";
			if (ended && headers.authorization === `Bearer ${session.held?.access}`) changeTokens(session, null, error);
			throw error;
		}
	};
	const repeatable = { isSafe: options.isSafe ?? route.method === "GET", signal: options.signal };
	return withRetries(once, repeatable, session.retry, (error) => (error instanceof WeftError ? error : null));
}

function adoptAnswer<Answer extends object>(session: SessionState, answer: Answer): Answer {
	if ("access" in answer && "refresh" in answer) {
		changeTokens(session, { access: String(answer.access), refresh: String(answer.refresh) });
	}
	return answer;
}

async function signInUser(
	session: SessionState,
	username: string,
	password: string,
	through: "password" | "directory" = "password",
) {
	const route = through === "directory" ? authRoutes.ldapLogin : authRoutes.login;
	return adoptAnswer(session, await sendRequest(session, route, { body: { username, password } }, {}));
}

async function finishUserSignIn(session: SessionState, mfaToken: string, code: string) {
	return adoptAnswer(session, await sendRequest(session, mfaRoutes.login, { body: { mfa_token: mfaToken, code } }, {}));
}

async function signInUserWithCode(session: SessionState, code: string, code_verifier?: string) {
	const body = { code, ...(code_verifier === undefined ? {} : { code_verifier }) };
	return adoptAnswer(session, await sendRequest(session, oidcRoutes.exchange, { body }, {}));
}

async function resumeSession(session: SessionState, refresh: string): Promise<void> {
	const { access } = await sendRequest(session, authRoutes.refresh, { body: { refresh } }, {});
	changeTokens(session, { access, refresh });
}

async function signOutUser(session: SessionState): Promise<string | null> {
	// The session is over here, whether or not the service can be reached to renew and end it.
	const headers = await getAuthorization(session).finally(() => changeTokens(session, null));
	const answer: { end_session_url?: string } = await sendRequest(session, authRoutes.logout, {}, headers);
	return answer.end_session_url ?? null;
}

/**
 * A client without the table of all routes, for browsers that import only the contracts they use.
 *
 * @throws TypeError for a token with a character that no token has
 */
export function createCaller({
	baseUrl,
	fetch: request = (...args) => fetch(...args),
	now = Date.now,
	onTokens = () => {},
	exclusively = (renew) => renew(),
	token,
	retry = { limit: 0 },
}: ClientOptions) {
	const tokenProblem = token === undefined ? null : findTokenProblem(token.trim());
	if (tokenProblem !== null) throw new TypeError(`The token ${tokenProblem}`);
	const base = baseUrl.replace(/\/+$/, "");
	const session: SessionState = { request, now, onTokens, exclusively, token, retry, base, held: null, renewing: null };

	return {
		baseUrl: base,

		/** Calls a route. @throws WeftError for every status that is no success. */
		async call<R extends RoutePath>(
			route: R,
			...[input, options]: keyof Call<R> extends never
				? [input?: undefined, options?: CallOptions]
				: [Call<R>, CallOptions?]
		) {
			return callRoute(session, route, (input ?? {}) as Call<R>, options);
		},

		/**
		 * Yields every item of a list, page by page. Items that appear or disappear meanwhile can shift
		 * the pages, as in every list by page number.
		 */
		async *each<R extends ListRoute>(
			route: R,
			input?: Omit<Call<R>, "query"> & { readonly query?: Omit<z.input<List<R>["query"]>, "page"> },
			options?: CallOptions,
		): AsyncGenerator<ItemOf<R>, void, void> {
			for (let page = 1; ; page++) {
				const query = { page_size: String(MAX_PAGE_SIZE), ...input?.query, page: String(page) };
				const answer = await callRoute(session, route, { ...input, query } as unknown as Call<R>, options);
				const { results, next } = answer as { results: ItemOf<R>[]; next: string | null };
				yield* results;
				if (next === null) return;
			}
		},

		/**
		 * The URL and headers of a GET, for callers that read the answer themselves (download, worker).
		 */
		async getRequest<R extends RoutePath>(route: R, input: Call<R>) {
			const { params, query } = input as { params?: object; query?: object };
			return { url: base + getPath(route.path, params, query), headers: await getAuthorization(session) };
		},

		/** Signs in; later calls carry the token. With a second factor it returns `mfa_required`. */
		signIn: (username: string, password: string, through?: "password" | "directory") =>
			signInUser(session, username, password, through),

		/** Gives the second factor that signing in asked for. */
		finishSignIn: (mfaToken: string, code: string) => finishUserSignIn(session, mfaToken, code),

		/**
		 * Signs in with the one-time code that the identity provider's callback led to, and with the
		 * verifier where the sign-in was begun with its challenge.
		 */
		signInWithCode: (code: string, code_verifier?: string) => signInUserWithCode(session, code, code_verifier),

		/** Resumes a session from a stored refresh token. @throws WeftError 401 if it has ended */
		resume: (refresh: string) => resumeSession(session, refresh),

		/** Adopts the tokens of another client of the same session, or null after its end. */
		adopt: (tokens: Tokens | null) => holdTokens(session, tokens),

		/** Ends the session. Returns where it ends at the identity provider; null: nowhere. */
		signOut: () => signOutUser(session),
	};
}

export type WeftCaller = ReturnType<typeof createCaller>;

/** A path with its parameters and its query filled in. */
export function getPath(path: string, params: object = {}, query: object = {}): string {
	const filled = path.replace(/:(\w+)/g, (_, name: string) =>
		encodeURIComponent(String((params as Record<string, unknown>)[name])),
	);
	const search = new URLSearchParams(
		Object.entries(query)
			.filter(([, value]) => value !== undefined)
			.map(([key, value]): [string, string] => [key, String(value)]),
	).toString();
	return search === "" ? filled : `${filled}?${search}`;
}

/** When a token ends, in milliseconds since 1970 (RFC 7519, section 4.1.4). */
function computeExpiry(token: string): number {
	const payload = token.split(".")[1] ?? "";
	const { exp } = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
	return exp * 1000;
}
