/**
 * One document through everything that may be in its way: retries with backoff, Retry-After for the
 * whole window, once without compression after a 502, and the next version of the chain for a
 * document that is not there.
 */

import { computeBackoff } from "../../core/system/backoff.ts";
import { ADDRESS_REFUSED } from "../../core/system/networks.ts";
import type { Cookies } from "./controller-login.ts";
import type { Http, HttpAnswer } from "./http.ts";
import type { Fetched } from "./port.ts";

export interface Place {
	readonly key: string;
	readonly path: string;
	readonly http: Http;
}

export interface Pacing {
	now(): number;
	sleep(ms: number, signal: AbortSignal): Promise<void>;
	/** 0 ≤ x < 1 */
	random(): number;
}

interface AttemptOptions {
	readonly pacing: Pacing;
	/** Tries of one request after the first. */
	readonly retries: number;
	/** The first wait; doubled each time. */
	readonly waitMs: number;
	/** If null, no cookie is sent, and 403 means "not there". */
	readonly cookie: Cookies | null;
}

const LONGEST_WAIT_MS = 30_000;
/** Throttled answers that one request accepts. */
const THROTTLED = 30;
/** After so many 502s in a row that went away without compression, none is asked for any more. */
const GIVE_UP_COMPRESSION = 3;

type Verdict =
	| { readonly kind: "found"; readonly answer: HttpAnswer }
	| { readonly kind: "missing" }
	| { readonly kind: "failed"; readonly message: string };

export function createAttempts({ pacing, retries, waitMs, cookie }: AttemptOptions) {
	let compressed = true;
	let plainHelped = 0;
	/** Until then nobody asks: the server said so. */
	let closedUntil = 0;

	async function waitUntilOpen(signal: AbortSignal): Promise<void> {
		for (let wait = closedUntil - pacing.now(); wait > 0; wait = closedUntil - pacing.now()) {
			await pacing.sleep(wait, signal);
		}
		signal.throwIfAborted();
	}

	/** Fetches one version's document. Calls `note` with each answer and each retry. */
	async function fetchPlace(
		place: Place,
		signal: AbortSignal,
		note: (status: number | null, again: boolean) => void,
	): Promise<Verdict> {
		let gzip = compressed;
		let stale: string | null = null;
		let tries = 0;
		let throttled = 0;
		for (;;) {
			await waitUntilOpen(signal);
			let answer: HttpAnswer;
			let sent: string | null = null;
			try {
				sent = cookie === null ? null : await cookie(stale, signal, place.path);
				answer = await place.http.send({ path: place.path, compressed: gzip, cookie: sent, signal });
			} catch (error) {
				signal.throwIfAborted();
				if (error instanceof Error && error.name === "ModelSourceError") throw error;
				note(null, tries < retries);
				if (tries >= retries) return { kind: "failed", message: describeError(error) };
				await pacing.sleep(backoff(tries++), signal);
				continue;
			}
			const { status } = answer;
			if (status === 502 && gzip) {
				// Some gateways choke on what they are to compress.
				note(status, true);
				gzip = false;
				continue;
			}
			if (!gzip && compressed && status === 200 && ++plainHelped >= GIVE_UP_COMPRESSION) compressed = false;
			else if (gzip && status === 200) plainHelped = 0;
			if ((status === 401 || status === 403) && sent !== null && stale === null) {
				note(status, true);
				stale = sent;
				continue;
			}
			const verdict = judgeAnswer(answer);
			if (verdict !== "again") {
				note(status, false);
				return verdict;
			}
			// A source that says when to come back is available: its answer does not count as a failure.
			const isThrottled = status === 429 || answer.retryAfterMs !== null;
			const over = isThrottled ? throttled >= THROTTLED : tries >= retries;
			note(status, !over);
			if (over) return { kind: "failed", message: `the source answered ${status}` };
			if (isThrottled) {
				closedUntil = Math.max(closedUntil, pacing.now() + (answer.retryAfterMs ?? backoff(throttled)));
				throttled++;
				await waitUntilOpen(signal);
				// Not all at once.
				await pacing.sleep(pacing.random() * waitMs, signal);
			} else await pacing.sleep(backoff(tries++), signal);
		}
	}

	const backoff = (tries: number): number =>
		computeBackoff(tries, { firstMs: waitMs, longestMs: LONGEST_WAIT_MS, random: pacing.random });

	return async function fetch(places: readonly Place[], signal: AbortSignal): Promise<Fetched> {
		const attempted: string[] = [];
		let status: number | null = null;
		let again = 0;
		for (const place of places) {
			attempted.push(place.key);
			const verdict = await fetchPlace(place, signal, (last, repeated) => {
				status = last;
				if (repeated) again++;
			});
			if (verdict.kind === "missing") continue;
			const retries = again;
			if (verdict.kind === "failed") return { attempted, status, retries, kind: "failed", message: verdict.message };
			const { body, encoding } = verdict.answer;
			if (encoding !== "unknown") return { attempted, status, retries, kind: "found", key: place.key, body, encoding };
			return { attempted, status, retries, kind: "failed", message: "the document is packed in an unknown way" };
		}
		return { attempted, status, retries: again, kind: "missing" };
	};
}

function judgeAnswer(answer: HttpAnswer): Verdict | "again" {
	const { status, contentType, body, encoding } = answer;
	// An object store answers 403 for a missing object, and a website answers with its front page.
	if (status === 404 || status === 410 || status === 403) return { kind: "missing" };
	if (status === 429 || status === 408 || status >= 500) return "again";
	if (status !== 200) return { kind: "failed", message: `the source answered ${status}` };
	const isPage = /html|xml/.test(contentType) || (encoding === "identity" && findFirstMark(body) === 0x3c);
	return isPage ? { kind: "missing" } : { kind: "found", answer };
}

/** The first byte that is no blank. */
function findFirstMark(body: Uint8Array): number | undefined {
	return body.find((byte) => byte > 0x20);
}

function describeError(error: unknown): string {
	const { name, code, message } = error as { name?: string; code?: string; message?: string };
	if (name === "TimeoutError" || /TIMEOUT/.test(code ?? "")) return "the source did not answer in time";
	if (code === ADDRESS_REFUSED) return "the administrator's settings do not allow connections to its address";
	return (code === undefined ? (message ?? String(error)) : `${code}: ${message}`).slice(0, 300);
}
