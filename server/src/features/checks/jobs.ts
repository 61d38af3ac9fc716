/** Background work of checks: notifications that are due without an evaluation. */
import { repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Notices } from "./service-notices.ts";

const TICK_MS = 10_000;

/** Idempotent, so every process with queue tasks runs it. */
export const createWork =
	({ clock, log, notices }: { readonly clock: Clock; readonly log: Log; readonly notices: Pick<Notices, "sendDue"> }) =>
	() =>
		repeatWork({ clock, log }, [
			{ everyMs: TICK_MS, failure: "notifications of checks were not sent", work: notices.sendDue },
		]);
