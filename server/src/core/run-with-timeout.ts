/** Runs work with a timeout of the service's clock. */
import type { Clock } from "./ports/clock.ts";

/** Calls `run` with a signal that aborts after `ms` milliseconds, or when `signal` does. */
export async function runWithTimeout<T>(
	clock: Clock,
	ms: number,
	signal: AbortSignal,
	run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const [late, done] = [new AbortController(), new AbortController()];
	clock.sleep(ms, done.signal).then(
		() => late.abort(),
		() => undefined,
	);
	try {
		return await run(AbortSignal.any([signal, late.signal]));
	} finally {
		done.abort();
	}
}
