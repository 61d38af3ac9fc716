/**
 * Repeats what may be repeated: exponential backoff with jitter, Retry-After honoured within
 * bounds, a fixed number of tries.
 */
import { computeBackoff } from "../../core/system/backoff.ts";
import type { Sleep } from "../../core/system/signals.ts";
import { buildFailure, type Failure, type Outcome } from "./answer.ts";

const MAX_RETRIES = 4;
const FIRST_MS = 300;
const LONGEST_MS = 8_000;
const LONGEST_RETRY_AFTER_MS = 30_000;

export interface Pacing {
	readonly sleep: Sleep;
	/** 0 ≤ x < 1 */
	readonly random: () => number;
}

/** Rejects with the last failure's ControllerError, or with the signal's reason while sleeping. */
export async function withRetries<T>(
	attempt: () => Promise<Outcome<T>>,
	{ sleep, random }: Pacing,
	signal: AbortSignal,
): Promise<T> {
	let singles = 0;
	for (let retries = 0; ; retries += 1) {
		const outcome = await attempt();
		if (outcome.ok) return outcome.answer;
		if (outcome.again === "once") singles += 1;
		const over = outcome.again === "never" || singles > 1 || retries >= MAX_RETRIES;
		if (over) throw outcome.error;
		await sleep(computeDelay(outcome, retries, random), signal);
	}
}

function computeDelay({ afterMs }: Failure, retries: number, random: () => number): number {
	const interval = computeBackoff(retries, { firstMs: FIRST_MS, longestMs: LONGEST_MS, random });
	return Math.round(Math.max(interval, Math.min(afterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}

/** For requests that change something: they are never sent again by themselves. */
export function markNotRepeated(outcome: Outcome): Outcome {
	return outcome.ok || outcome.again === "never" ? outcome : buildFailure(outcome.error);
}
