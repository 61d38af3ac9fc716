/**
 * The session of this tab, shared with others. The access token is in memory only; the refresh
 * token is in the tab's storage, or in the browser's with "keep me signed in". Tabs renew one at a
 * time and notify each other.
 */
import { type ClientOptions, type Tokens, type WeftCaller, WeftError } from "@weft/sdk";

type SessionState =
	| { readonly status: "starting" }
	| { readonly status: "in" }
	/** The service did not answer whether a kept session still holds. */
	| { readonly status: "unreachable"; readonly error: unknown }
	| { readonly status: "out"; readonly why: "never" | LossReason | "left elsewhere" };

/**
 * Why the tokens are gone: the user signed out, the service refused them, nobody was active, or the
 * account is deactivated.
 */
type LossReason = "left" | "ended" | "idle" | "deactivated";

const KEY = "weft.session";
const LOCK = "weft.renew";
/** Upper bound of the wait for the session of another tab, in milliseconds. */
const ASK_MS = 150;

type Message = { kind: "tokens"; tokens: Tokens | null; why?: LossReason } | { kind: "ask" };

export function createSession(makeClient: (options: Pick<ClientOptions, "onTokens" | "exclusively">) => WeftCaller) {
	const listeners = new Set<() => void>();
	const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("weft.session");
	let state: SessionState = { status: "starting" };
	let current: Tokens | null = null;
	/** Why the next loss of tokens happens, when this tab knows. */
	let why: LossReason = "ended";

	function setState(next: SessionState): void {
		state = next;
		for (const listener of listeners) listener();
	}

	function replaceTokens(tokens: Tokens | null, reason: LossReason | "left elsewhere"): void {
		current = tokens;
		storeRefreshToken(tokens?.refresh ?? null);
		if (tokens !== null && state.status !== "in") setState({ status: "in" });
		if (tokens === null && state.status !== "out") setState({ status: "out", why: reason });
	}

	const client = makeClient({
		onTokens(tokens, cause) {
			const isDeactivated = (cause?.body as { code?: unknown } | undefined)?.code === "account_deactivated";
			const reason = isDeactivated ? "deactivated" : why;
			replaceTokens(tokens, reason);
			channel?.postMessage({ kind: "tokens", tokens, why: reason } satisfies Message);
		},
		// Without locks (an address without TLS) two tabs may renew at once, which the service allows.
		exclusively: (renew) => (navigator.locks ? navigator.locks.request(LOCK, renew) : renew()),
	});

	channel?.addEventListener("message", ({ data }: MessageEvent<Message>) => {
		if (data.kind === "ask") {
			if (current) channel.postMessage({ kind: "tokens", tokens: current } satisfies Message);
			return;
		}
		// A tab that shows the sign-in page, or waits for tokens, adopts another tab's session.
		client.adopt(data.tokens);
		replaceTokens(data.tokens, data.why === "left" ? "left elsewhere" : (data.why ?? "ended"));
	});

	/** Whether another tab of this browser is signed in and says so in time. */
	const askOthers = (): Promise<boolean> =>
		new Promise((resolve) => {
			if (channel === null) return resolve(false);
			const stop = (found: boolean) => {
				listeners.delete(check);
				clearTimeout(timer);
				resolve(found);
			};
			const check = () => state.status === "in" && stop(true);
			const timer = setTimeout(() => stop(false), ASK_MS);
			listeners.add(check);
			channel.postMessage({ kind: "ask" } satisfies Message);
		});

	return {
		client,
		state: (): SessionState => state,
		subscribe(listener: () => void): () => void {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},

		/** Resumes the stored session, or adopts that of another tab. */
		async start(): Promise<void> {
			const kept = readRefreshToken();
			if (kept === null) {
				if (!(await askOthers())) setState({ status: "out", why: "never" });
				return;
			}
			try {
				await client.resume(kept);
			} catch (error) {
				if (error instanceof WeftError && error.status === 401) replaceTokens(null, "ended");
				else setState({ status: "unreachable", error });
			}
		},

		/** Sets whether the next session outlives this tab. Call it before signing in. */
		remember(always: boolean): void {
			storeRefreshToken(null);
			storeItem("local", "weft.keep", always ? "1" : null);
		},

		async end(reason: "left" | "idle"): Promise<void> {
			why = reason;
			try {
				// Without an answer the session expires there. This tab is signed out in any case.
				const elsewhere = await client.signOut().catch(() => null);
				if (elsewhere !== null && reason === "left") location.assign(elsewhere);
			} finally {
				why = "ended";
			}
		},
	};
}

function storeRefreshToken(refresh: string | null): void {
	const always = getStorage("local")?.getItem("weft.keep") === "1";
	storeItem(always ? "local" : "session", KEY, refresh);
	if (refresh === null) {
		storeItem("local", KEY, null);
		storeItem("session", KEY, null);
	}
}

const readRefreshToken = (): string | null =>
	getStorage("session")?.getItem(KEY) ?? getStorage("local")?.getItem(KEY) ?? null;

function storeItem(where: "local" | "session", key: string, value: string | null): void {
	const target = getStorage(where);
	if (value === null) target?.removeItem(key);
	else target?.setItem(key, value);
}

/** Null where the browser keeps nothing. */
function getStorage(where: "local" | "session"): Storage | null {
	try {
		return where === "local" ? localStorage : sessionStorage;
	} catch {
		return null;
	}
}
