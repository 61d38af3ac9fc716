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
/** Runs of one task: every five minutes for a week, and a change of the clock. */
const MOST_RUNS = 7 * 24 * 12 + 24;
/** Runs of all tasks of a calendar. */
const MOST_LISTED = 100_000;

export async function readCalendar(ctx: Context, caller: Caller, days: number): Promise<CalendarAnswer> {
	const from = ctx.clock.now();
	const until = from + days * DAY_MS;
	const rows = await listUpcomingTasks(ctx.store.db, caller, MOST_TASKS + 1);
	let room = MOST_LISTED;
	const shown = rows.slice(0, MOST_TASKS).map((row) => {
		const most = Math.min(MOST_RUNS, room);
		const runs = listRunsUntil(row, from, until, most + 1);
		room -= Math.min(runs.length, most);
		return {
			id: row.id,
			name: row.name,
			query_name: row.query_name,
			frequency: row.frequency,
			schedule_description: describeSchedule(row),
			runs: runs.slice(0, most).map((at) => new Date(at).toISOString()),
			has_more_runs: runs.length > most,
		};
	});
	return {
		from: new Date(from).toISOString(),
		until: new Date(until).toISOString(),
		tasks: shown.filter(({ runs, has_more_runs }) => runs.length > 0 || has_more_runs),
		has_more: rows.length > MOST_TASKS,
	};
}

/** @throws AppError 400 by field, as making such a task would */
export function previewSchedule(ctx: Context, input: CadenceQuestion) {
	const { scheduled_datetime } = input;
	const cadence: Cadence = {
		frequency: input.frequency,
		interval_minutes: input.interval_minutes ?? null,
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
