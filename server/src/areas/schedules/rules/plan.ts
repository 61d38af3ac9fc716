/** The next run of a task that was just made or changed, or what keeps it from having one. */
import type { TaskStatus } from "@weft/contracts";
import { buildInvalidError } from "../../../core/errors.ts";
import { type Cadence, listMissingFields } from "./cadence.ts";
import { findNextRun } from "./next-run.ts";

export interface Planned {
	readonly status: TaskStatus;
	/** Null unless the task is active. */
	readonly next_run_at: Date | null;
}

/** Further away is most likely a slip. */
const FARTHEST_YEARS = 100;

/** @throws AppError 400 with a message under each field that is missing or wrong */
export function planNextRun(cadence: Cadence, status: TaskStatus, now: number): Planned {
	const missing = listMissingFields(cadence);
	if (missing.length > 0) {
		const frequency = cadence.frequency === "minutes" ? "every few minutes" : cadence.frequency;
		const message = `A task that runs ${frequency} needs this field.`;
		throw buildInvalidError(Object.fromEntries(missing.map((field) => [field, [message]])));
	}
	const limit = new Date(now);
	limit.setUTCFullYear(limit.getUTCFullYear() + FARTHEST_YEARS);
	if ((cadence.scheduled_datetime ?? limit) > limit) {
		throw buildInvalidError({ scheduled_datetime: [`Must be within ${FARTHEST_YEARS} years.`] });
	}
	if (status !== "active") return { status, next_run_at: null };
	const next = findNextRun(cadence, now);
	if (next === null) throw buildInvalidError({ scheduled_datetime: ["Must be in the future."] });
	return { status, next_run_at: new Date(next) };
}
