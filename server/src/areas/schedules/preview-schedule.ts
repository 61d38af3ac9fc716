/** Future runs: of all tasks within a number of days, and of a schedule that is being edited. */
import type { CadenceQuestion, CalendarAnswer } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import type { Cadence } from "./rules/cadence.ts";
import { describeSchedule } from "./rules/describe.ts";
import { listRunsUntil } from "./rules/next-run.ts";
import { planNextRun } from "./rules/plan.ts";
import { listUpcomingTasks } from "./sql/tasks.ts";

const DAY_MS = 24 * 3_600_000;
/** Tasks of a calendar. */
const MOST_TASKS = 200;
const SHOWN_RUNS = 5;
/** Hourly for a month, clocks that are put back included. */
const MOST_RUNS = 31 * 24 + 2;

export async function readCalendar(ctx: Context, caller: Caller, days: number): Promise<CalendarAnswer> {
	const from = ctx.clock.now();
	const until = from + days * DAY_MS;
	const rows = await listUpcomingTasks(ctx.store.db, caller, MOST_TASKS + 1);
	const shown = rows.slice(0, MOST_TASKS).map((row) => ({
		id: row.id,
		name: row.name,
		query_name: row.query_name,
		frequency: row.frequency,
		schedule_description: describeSchedule(row),
		runs: listRunsUntil(row, from, until, MOST_RUNS).map((at) => new Date(at).toISOString()),
	}));
	return {
		from: new Date(from).toISOString(),
		until: new Date(until).toISOString(),
		tasks: shown.filter(({ runs }) => runs.length > 0),
		has_more: rows.length > MOST_TASKS,
	};
}

/** @throws AppError 400 by field, as making such a task would */
export function previewSchedule(ctx: Context, input: CadenceQuestion) {
	const { scheduled_datetime } = input;
	const cadence: Cadence = {
		frequency: input.frequency,
		minute_of_hour: input.minute_of_hour ?? null,
		time_of_day: input.time_of_day ?? null,
		day_of_week: input.day_of_week ?? null,
		day_of_month: input.day_of_month ?? null,
		scheduled_datetime: scheduled_datetime ? new Date(scheduled_datetime) : null,
		timezone: input.timezone ?? "UTC",
	};
	planNextRun(cadence, "active", ctx.clock.now());
	const runs = listRunsUntil(cadence, ctx.clock.now(), Number.POSITIVE_INFINITY, SHOWN_RUNS);
	return { description: describeSchedule(cadence), runs: runs.map((at) => new Date(at).toISOString()) };
}
