/**
 * `fetch` that honours Retry-After (429), tracks whether the service is reachable, and exposes
 * waits.
 */
import { create } from "zustand";

interface Link {
	/** False after a request that got no answer at all. */
	readonly reachable: boolean;
	/** When waiting requests continue, in milliseconds since 1970; null while none waits. */
	readonly waitingUntil: number | null;
}

export const useLink = create<Link>(() => ({ reachable: true, waitingUntil: null }));

const TRIES = 3;
const LONGEST_S = 60;
/** Sign-in and similar calls: the user decides when to retry. */
const IMPATIENT = /\/api\/auth\/(login|ldap-login|mfa-login|oidc\/|password-reset|password\/|mfa\/|email\/)/;

export async function patientFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
	for (let attempt = 1; ; attempt++) {
		const response = await reach(input, init);
		const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
		const waits = response.status === 429 && seconds <= LONGEST_S && attempt < TRIES && !IMPATIENT.test(String(input));
		if (!waits) return response;
		await pause(seconds * 1000, init?.signal ?? null);
	}
}

async function reach(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
	try {
		const response = await fetch(input, init);
		if (!useLink.getState().reachable) useLink.setState({ reachable: true });
		return response;
	} catch (error) {
		if (!(error instanceof DOMException && error.name === "AbortError")) useLink.setState({ reachable: false });
		throw error;
	}
}

async function pause(ms: number, signal: AbortSignal | null): Promise<void> {
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
