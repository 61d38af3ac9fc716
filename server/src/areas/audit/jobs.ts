/**
 * Background work of the audit log: seals, indexes and purges. Idempotent, so any process may do
 * it.
 */
import type { Context } from "../../context.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { extendTermIndex } from "./extend-term-index.ts";
import { purgeEntries } from "./purge-entries.ts";
import { sealEntries } from "./seal-entries.ts";

const SEAL_MS = 10_000;
/** Retentions are whole days: within the hour after one has ended, its entries go. */
const PURGE_MS = 3_600_000;

/** Starts the timers; the first run is immediate. */
export const startAuditTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{
			everyMs: SEAL_MS,
			failure: "entries of the audit log could not be sealed or indexed",
			async work(signal) {
				await sealEntries(ctx, signal);
				await extendTermIndex(ctx, signal);
			},
		},
		{
			everyMs: PURGE_MS,
			failure: "old entries of the audit log could not be removed",
			async work(signal) {
				// Only sealed entries are purged.
				await sealEntries(ctx, signal);
				await purgeEntries(ctx, signal);
			},
		},
	]);
