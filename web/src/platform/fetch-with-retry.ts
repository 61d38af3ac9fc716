/**
 * `fetch` that honours Retry-After (429), tracks whether the service is reachable, and exposes
 * waits. Rejects with an UnreachableError where there is no answer, or where it breaks off.
 */
import { create } from "zustand";
import { UnreachableError } from "./failures.ts";

interface Link {
	/** False after a request that got no answer at all. */
	readonly reachable: boolean;
	/** When waiting requests continue, in milliseconds since 1970; null while none waits. */
	readonly waitingUntil: number | null;
}

export const useLink = create<Link>(() => ({ reachable: true, waitingUntil: null }));

const TRIES = 3;
const LONGEST_S = 60;
/** Answers of these statuses have no body (fetch specification, "null body status"). */
const BODILESS = [101, 103, 204, 205, 304];
/** Sign-in and similar calls: the user decides when to retry. */
const IMPATIENT = /\/api\/auth\/(login|ldap-login|mfa-login|oidc\/|password-reset|password\/|mfa\/|email\/)/;

export async function fetchWithRetryAfter(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
	for (let attempt = 1; ; attempt++) {
		const response = await fetchWholeAnswer(input, init);
		const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
		const waits = response.status === 429 && seconds <= LONGEST_S && attempt < TRIES && !IMPATIENT.test(String(input));
		if (!waits) return response;
		await waitBeforeRetry(seconds * 1000, init?.signal ?? null);
	}
}

/** The whole answer is read here: whatever fails while it is read is a failure of the network. */
async function fetchWholeAnswer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
	// Throws for an invalid address or header, which is no failure of the network.
	const request = new Request(input, init);
	try {
		const response = await fetch(request);
		const body = await response.arrayBuffer();
		if (!useLink.getState().reachable) useLink.setState({ reachable: true });
		return new Response(BODILESS.includes(response.status) ? null : body, response);
	} catch (error) {
		if (request.signal.aborted || (error instanceof DOMException && error.name === "AbortError")) throw error;
		useLink.setState({ reachable: false });
		throw new UnreachableError(error);
	}
}

async function waitBeforeRetry(ms: number, signal: AbortSignal | null): Promise<void> {
	useLink.setState({ waitingUntil: Date.now() + ms });
	try {
		await new Promise<void>((resolve, reject) => {
			const timer = setTimeout(resolve, ms);
			signal?.addEventListener("abort", () => {
				clearTimeout(timer);
				reject(signal.reason);
			});
		});
	} finally {
		useLink.setState({ waitingUntil: null });
	}
}
