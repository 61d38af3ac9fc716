/** The window of time of a request to the feed. */
import type { ChangeFilter } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { buildFieldError } from "../../../core/errors.ts";

const DAY_MS = 24 * 3_600_000;

export interface FeedWindow {
	readonly since: Date;
	/** Null: no end. */
	readonly until: Date | null;
}

/** Throws 400 for a window that ends before it begins. */
export function findWindow(ctx: Context, { since, until }: ChangeFilter): FeedWindow {
	const found = {
		since: since === undefined ? new Date(ctx.clock.now() - DAY_MS) : new Date(since),
		until: until === undefined ? null : new Date(until),
	};
	if (found.until !== null && found.until < found.since) throw buildFieldError("until", "Must not be before since.");
	return found;
}
