/**
 * Whose work runs: requests of one user, or background work for one. Worker pools share their
 * threads by it, so that no call has to pass it on.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface WorkShare {
	/** Null for work of the service, or of a caller who is not signed in. */
	readonly userId: number | null;
	/** Requests have threads of their own: recording the results of runs goes on beside them. */
	readonly lane: "interactive" | "recording";
}

/** Background work that is for no user. */
export const SERVICE_SHARE: WorkShare = { userId: null, lane: "recording" };
const shares = new AsyncLocalStorage<WorkShare>();

/** The share of the current request or job; the service's own outside of both. */
export const getWorkShare = (): WorkShare => shares.getStore() ?? SERVICE_SHARE;

/** Runs something, and all that it awaits, in a share. */
export const runInShare = <T>(share: WorkShare, run: () => T): T => shares.run(share, run);

/** Keeps the current share for a function that is called later from elsewhere. */
export function keepWorkShare<Args extends unknown[], T>(run: (...args: Args) => T): (...args: Args) => T {
	const share = getWorkShare();
	return (...args) => shares.run(share, () => run(...args));
}
