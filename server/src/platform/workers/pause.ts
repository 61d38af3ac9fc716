/**
 * Pauses of a thread that computes for long. Where there are more threads than cores, one that wakes may wait for a computing one until the system's next
 * tick, which is milliseconds away; one that sleeps for a moment leaves its core to them at once.
 */

/** To be called again and again by what takes long, at least once in a fraction of a millisecond; nearly always it does nothing. */
export type Pause = () => void;

const COMPUTING_MS = 0.5;
/** As short as the system's timers make it: some 0.1 ms in all. */
const SLEEPING_MS = 0.05;

/** Of work that nobody waits for. */
export const noPause: Pause = () => {};

/**
 * For a thread's own work: it sleeps.
 * @param now milliseconds
 */
export function createPause(now: () => number = () => performance.now(), sleep: (ms: number) => void = doze): Pause {
	let since = now();
	return () => {
		if (now() - since < COMPUTING_MS) return;
		sleep(SLEEPING_MS);
		since = now();
	};
}

const nobody = new Int32Array(new SharedArrayBuffer(4));

/** Waits for what never comes. */
function doze(ms: number): void {
	Atomics.wait(nobody, 0, 0, ms);
}
