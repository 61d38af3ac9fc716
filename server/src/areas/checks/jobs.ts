/** Background work of checks: notifications that are due without an evaluation. */
import type { Context } from "../../context.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { releaseHeldAlerts } from "./release-held-alerts.ts";
import { sendDueNotices } from "./send-notices.ts";

const TICK_MS = 10_000;

/** Idempotent, so every process with queue tasks runs it. */
export const startCheckTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{
			everyMs: TICK_MS,
			failure: "notifications of checks were not sent",
			work: (signal) => sendDueNotices(ctx, signal),
		},
		{
			everyMs: TICK_MS,
			failure: "held alerts were not sent",
			work: (signal) => releaseHeldAlerts(ctx, signal),
		},
	]);
