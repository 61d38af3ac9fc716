/** Schedules as files: the owner's tasks, what a file would make of one, and writing it. */
import { isDeepStrictEqual } from "node:util";
import type { TaskReplace } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { KnownReferences } from "./known-references.ts";
import { buildFieldDefaults, buildTaskColumns, type Columns, insertTask, writeAndAnnounce } from "./manage-tasks.ts";
import type { Cadence } from "./rules/cadence.ts";
import { type Planned, planNextRun } from "./rules/plan.ts";
import type { TaskRow } from "./sql/tasks.ts";
import { findTaskSettings } from "./sql/tasks.ts";

/** A checked file: what writing it would do. */
export interface TaskChange {
	/** Null for a new task. */
	readonly before: TaskRow | null;
	readonly columns: Columns;
	readonly planned: Planned;
	/** Names of fields that differ; empty if the task is as the file says. */
	readonly fields: readonly string[];
}

const COMPARED = [
	"name",
	"description",
	"saved_query_id",
	"connection_ids",
	"connection_group_id",
	"frequency",
	"interval_minutes",
	"minute_of_hour",
	"time_of_day",
	"day_of_week",
	"day_of_month",
	"scheduled_datetime",
	"timezone",
	"email_on_success",
	"email_on_failure",
	"email_recipients",
	"retry_enabled",
	"retry_count",
	"retry_interval_minutes",
	"log_retention_days",
] as const;

/** @throws AppError 400 by field */
export async function checkTaskFile(
	ctx: Context,
	caller: Identity,
	input: TaskReplace,
	before: TaskRow | null,
	known: KnownReferences,
): Promise<TaskChange> {
	const full = { ...buildFieldDefaults(await findTaskSettings(known.db)), ...input };
	const { status, ...fields } = full;
	const columns = (await buildTaskColumns(ctx, caller, fields, before, known)) as Columns;
	const present = before === null || isOver(before) ? "active" : before.status;
	const wanted = status ?? present;
	const changed = before === null ? [] : listChangedFields({ ...before, ...columns }, before, full.variable_values);
	const kept =
		before !== null && isOver(before) && wanted === "active" && !changed.some(isCadence) ? before.status : wanted;
	if (before !== null && kept !== before.status) changed.push("status");
	const replans = before === null || changed.some((field) => isCadence(field) || field === "status");
	const planned = replans
		? planNextRun({ ...before, ...columns } as Cadence, kept, ctx.clock.now())
		: { status: before.status, next_run_at: before.next_run_at };
	return { before, columns, planned, fields: changed };
}

export async function writeTaskFile(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	{ before, columns, planned, fields }: TaskChange,
): Promise<void> {
	if (before === null) await insertTask(ctx, tx, caller, columns, planned, ctx.ids.uuid());
	else await writeAndAnnounce(ctx, tx, caller, before, { columns, status: planned.status, names: fields });
}

const CADENCE: ReadonlySet<string> = new Set([
	"frequency",
	"interval_minutes",
	"minute_of_hour",
	"time_of_day",
	"day_of_week",
	"day_of_month",
	"scheduled_datetime",
	"timezone",
]);
const isCadence = (field: string): boolean => CADENCE.has(field);

/** A task that runs once is disabled by its run. Its file still calls it active. */
const isOver = ({ frequency, status }: TaskRow): boolean => frequency === "once" && status === "disabled";

function listChangedFields(after: Readonly<Record<string, unknown>>, before: TaskRow, values: unknown): string[] {
	const changed: string[] = COMPARED.filter((field) => !isDeepStrictEqual(after[field], before[field]));
	if (!isDeepStrictEqual(values, before.variable_values)) changed.push("variable_values");
	return changed;
}
