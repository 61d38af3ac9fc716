/**
 * Background work of the audit log: seals, indexes and purges. Idempotent, so any process may do
 * it.
 */
import { repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";

const SEAL_MS = 10_000;
/** Retentions are whole days: within the hour after one has ended, its entries go. */
const PURGE_MS = 3_600_000;

export interface AuditJobsDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly seal: (signal: AbortSignal) => Promise<void>;
	/** Adds sealed entries to the index of frequent terms. */
	readonly extend: (signal: AbortSignal) => Promise<void>;
	readonly purge: (signal: AbortSignal) => Promise<void>;
}

export function createAuditJobs({ clock, log, seal, extend, purge }: AuditJobsDeps) {
	return {
		/** Starts the timers; the first run is immediate. */
		work: () =>
			repeatWork({ clock, log }, [
				{
					everyMs: SEAL_MS,
					failure: "entries of the audit log could not be sealed or indexed",
					async work(signal) {
						await seal(signal);
						await extend(signal);
					},
				},
				{
					everyMs: PURGE_MS,
					failure: "old entries of the audit log could not be removed",
					async work(signal) {
						// Only sealed entries are purged.
						await seal(signal);
						await purge(signal);
					},
				},
			]),
	};
}
