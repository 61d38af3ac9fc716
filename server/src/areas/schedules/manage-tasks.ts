/** Scheduled tasks: list, create, change, copy, delete. */
import type { ScheduledTask, TaskCreate, TaskList, TaskPatch, TaskReplace, TaskStatus } from "@weft/contracts";
import type { Insertable, Updateable } from "kysely";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { AppError, buildForbiddenError, buildInvalidError, buildNotFoundError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { readQueryProgram } from "../runs/background/start-background-runs.ts";
import {
	findReferredConnection,
	findReferredGroup,
	findReferredQuery,
	type KnownReferences,
} from "./known-references.ts";
import { endWaiting } from "./lifecycle.ts";
import { canDelete, canEdit } from "./policy.ts";
import { presentStats } from "./present.ts";
import { listRefusedAddresses } from "./recipients.ts";
import { CADENCE_FIELDS, type Cadence } from "./rules/cadence.ts";
import { copyName } from "./rules/copy-name.ts";
import { type Planned, planNextRun } from "./rules/plan.ts";
import { showTask, showTasks } from "./show-tasks.ts";
import type { SettingsRow, ShownTask, TaskRow } from "./sql/tasks.ts";
import {
	countTaskStats,
	findShownTask,
	findTaskSettings,
	insertScheduledTask,
	listTaskPage,
	listUpcomingTasks,
	lockTaskRow,
	removeTaskRow,
	updateTaskRow,
} from "./sql/tasks.ts";
import type { ScheduledTasksTable } from "./tables.ts";

type Fields = Omit<TaskPatch, "status">;
export type Columns = Omit<
	Insertable<ScheduledTasksTable>,
	"id" | "owner_id" | "status" | "next_run_at" | "last_run_at" | "last_run_status" | "created_at" | "updated_at"
>;

export const buildTaskTarget = ({ id }: { id: string }) => ({ targetType: "scheduled_task", targetId: id });

export async function findVisibleTask(db: Db, caller: Identity, id: string): Promise<ShownTask> {
	const row = await findShownTask(db, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return row;
}

const readChangedTask = async (ctx: Context, tx: Tx, caller: Identity, id: string): Promise<ScheduledTask> =>
	showTask(ctx, tx.db, caller, await findVisibleTask(tx.db, caller, id));

/**
 * The task, locked, if the caller may do this with it: 404 where it is not visible, 403 where it
 * is.
 */
export async function lockTask(tx: Tx, caller: Identity, id: string, may: typeof canEdit): Promise<TaskRow> {
	const row = await lockTaskRow(tx, id);
	if (row === undefined || (await findShownTask(tx.db, caller, id)) === undefined) throw buildNotFoundError();
	if (!may(caller, row)) throw buildForbiddenError("Only the owner of a task and administrators may do this.");
	return row;
}

/**
 * The columns that hold the given fields. Query and connections must be the caller's to see,
 * unless the task has them already.
 * @param known references that a batch of files has read in advance
 */
export async function buildTaskColumns(
	ctx: Context,
	caller: Identity,
	input: Fields,
	before: TaskRow | null,
	known: KnownReferences | null = null,
): Promise<Partial<Columns>> {
	const { saved_query, variable_values, scheduled_datetime, connection_group, ...rest } = input;
	// A new task has all columns.
	const { controller_connection_ids = before === null ? [] : undefined, ...plain } = rest;
	const errors: Record<string, string[]> = {};
	const columns: Partial<Columns> = Object.fromEntries(
		Object.entries(plain).filter(([, value]) => value !== undefined),
	);
	if (scheduled_datetime !== undefined) {
		columns.scheduled_datetime = scheduled_datetime === null ? null : new Date(scheduled_datetime);
	}
	if (variable_values !== undefined) columns.variable_values = JSON.stringify(variable_values);
	const queryId = saved_query ?? before?.saved_query_id;
	if (queryId !== undefined && (queryId !== before?.saved_query_id || variable_values !== undefined)) {
		const query = await findReferredQuery(ctx, caller, queryId, known);
		if (query !== null) {
			Object.assign(columns, { saved_query_id: query.id, query_name: query.name });
			Object.assign(
				errors,
				answerErrors(() => readQueryProgram(query, variable_values ?? before?.variable_values ?? {})),
			);
		} else if (queryId !== before?.saved_query_id) errors.saved_query = ["There is no such query that you can see."];
	}
	if (controller_connection_ids !== undefined) {
		const names: string[] = [];
		const problems: string[] = [];
		for (const id of controller_connection_ids) {
			const at = before?.connection_ids.indexOf(id) ?? -1;
			const found = at >= 0 ? null : await findReferredConnection(ctx, caller, id, known);
			names.push(found?.name ?? before?.connection_names[at] ?? "");
			const problem = at >= 0 ? null : findConnectionProblem(id, found);
			if (problem !== null) problems.push(problem);
		}
		if (problems.length > 0) errors.controller_connection_ids = problems;
		Object.assign(columns, { connection_ids: controller_connection_ids, connection_names: names });
	}
	if (connection_group !== undefined && connection_group !== (before?.connection_group_id ?? null)) {
		const found = connection_group === null ? null : await findReferredGroup(ctx, caller, connection_group, known);
		if (connection_group !== null && found === null) {
			errors.connection_group = ["There is no such connection group that you can see."];
		}
		Object.assign(columns, { connection_group_id: connection_group, connection_group_name: found?.name ?? "" });
	}
	const { connection_ids, connection_group_id } = { ...before, ...columns };
	if ((connection_ids ?? []).length === 0 && !connection_group_id) {
		errors.controller_connection_ids = ["Name at least one connection."];
	}
	const refused = await listRefusedAddresses(ctx, known?.db ?? ctx.store.db, input.email_recipients ?? []);
	if (refused.length > 0) {
		errors.email_recipients = [
			`No user has ${refused.slice(0, 5).join(", ")}. Use addresses of users, or let the administrator allow the domain (WEFT_MAIL_DOMAINS).`,
		];
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
	return columns;
}

async function insertTaskRow(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	id: string,
	row: Columns,
	planned: Planned,
): Promise<void> {
	await ctx.quotas.check(caller, "can_schedule", tx);
	await ctx.quotas.check(caller, "scheduled_tasks_max", tx);
	const at = new Date(ctx.clock.now());
	await insertScheduledTask(tx, {
		...row,
		...planned,
		id,
		owner_id: caller.userId,
		last_run_at: null,
		last_run_status: null,
		created_at: at,
		updated_at: at,
	});
}

/** Only the given fields are written, so that of two changes at once both count. */
export async function changeTask(ctx: Context, caller: Caller, id: string, input: TaskPatch): Promise<ScheduledTask> {
	const { status, ...fields } = input;
	const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
	const seen = await findVisibleTask(ctx.store.db, caller, id);
	if (!canEdit(caller, seen)) throw buildForbiddenError("Only the owner of a task and administrators may do this.");
	const columns = await buildTaskColumns(ctx, caller, fields, seen);
	return ctx.store.transaction(async (tx) => {
		const before = await lockTask(tx, caller, id, canEdit);
		if (names.length === 0) {
			markUnchanged(caller);
			return readChangedTask(ctx, tx, caller, id);
		}
		await writeAndAnnounce(ctx, tx, caller, before, { columns, status: status ?? before.status, names });
		return readChangedTask(ctx, tx, caller, id);
	});
}

export async function writeAndAnnounce(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	before: TaskRow,
	{ columns, status, names }: { columns: Partial<Columns>; status: TaskStatus; names: readonly string[] },
): Promise<void> {
	await writeTask(ctx, tx, before, columns, status);
	await ctx.events.changed(tx, caller, {
		...buildTaskTarget(before),
		description: `${caller.username} changed the scheduled task "${columns.name ?? before.name}"`,
		metadata: { fields: names },
	});
}

export async function insertTask(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	row: Columns,
	planned: Planned,
	id: string,
): Promise<void> {
	await insertTaskRow(ctx, tx, caller, id, row, planned);
	await ctx.events.changed(tx, caller, {
		...buildTaskTarget({ id }),
		description: `${caller.username} scheduled ${row.query_name} as "${row.name}"`,
		metadata: { saved_query: row.saved_query_id, frequency: row.frequency },
	});
}

export async function removeLockedTask(ctx: Context, tx: Tx, caller: Caller, task: TaskRow): Promise<void> {
	await removeTaskRow(tx, task.id);
	await ctx.events.changed(tx, caller, {
		...buildTaskTarget(task),
		description: `${caller.username} deleted the scheduled task "${task.name}"`,
	});
}

/** The next run is worked out anew when something that it depends on has changed. */
async function writeTask(
	ctx: Context,
	tx: Tx,
	before: TaskRow,
	columns: Updateable<ScheduledTasksTable>,
	status: TaskStatus,
): Promise<void> {
	const after: Cadence = { ...before, ...(columns as Partial<Cadence>) };
	const moved = status !== before.status || CADENCE_FIELDS.some((field) => !isSameValue(after[field], before[field]));
	const planned = moved ? planNextRun(after, status, ctx.clock.now()) : {};
	await updateTaskRow(tx, before.id, { ...columns, ...planned, updated_at: new Date(ctx.clock.now()) });
	if (status !== "active" && status !== before.status) await endWaiting(ctx, tx, before);
}

async function setTaskStatus(ctx: Context, caller: Caller, id: string, status: "active" | "paused") {
	return ctx.store.transaction(async (tx) => {
		const task = await lockTask(tx, caller, id, canEdit);
		const message = `The task "${task.name}" is ${status}.`;
		if (task.status === status) {
			markUnchanged(caller);
			return { status, message };
		}
		await writeTask(ctx, tx, task, {}, status);
		await ctx.events.changed(tx, caller, {
			...buildTaskTarget(task),
			description: `${caller.username} ${status === "active" ? "resumed" : "paused"} the scheduled task "${task.name}"`,
		});
		return { status, message };
	});
}

export async function listTasks(ctx: Context, caller: Caller, filter: TaskList, url: string) {
	const page = await listTaskPage(ctx.store.db, caller, filter);
	const rows = await showTasks(ctx, ctx.store.db, caller, page.rows);
	return paginateRows(url, filter, { count: page.count, rows }, (task) => task);
}

export const readTask = async (ctx: Context, caller: Caller, id: string) =>
	showTask(ctx, ctx.store.db, caller, await findVisibleTask(ctx.store.db, caller, id));

export async function listTasksAhead(ctx: Context, caller: Caller, limit: number) {
	const rows = await listUpcomingTasks(ctx.store.db, caller, limit);
	const results = await showTasks(ctx, ctx.store.db, caller, rows);
	return { count: results.length, next: null, previous: null, results };
}

export const readTaskStats = async (ctx: Context, caller: Caller) =>
	presentStats(await countTaskStats(ctx.store.db, caller));

/**
 * The columns and the first run of a new task.
 * @param known references that the caller has read in advance
 * @throws AppError 400 by field
 */
export async function prepareTask(
	ctx: Context,
	caller: Identity,
	input: TaskCreate,
	known: KnownReferences | null = null,
): Promise<{ row: Columns; planned: Planned }> {
	const columns = await buildTaskColumns(ctx, caller, input, null, known);
	const row = { ...listFieldDefaults(await findTaskSettings(ctx.store.db)), ...columns } as Columns;
	return { row, planned: planNextRun(row as Cadence, "active", ctx.clock.now()) };
}

export async function createTask(ctx: Context, caller: Caller, input: TaskCreate): Promise<ScheduledTask> {
	const { row, planned } = await prepareTask(ctx, caller, input);
	const id = ctx.ids.uuid();
	return ctx.store.transaction(async (tx) => {
		await insertTask(ctx, tx, caller, row, planned, id);
		return readChangedTask(ctx, tx, caller, id);
	});
}

export async function replaceTask(
	ctx: Context,
	caller: Caller,
	id: string,
	input: TaskReplace,
): Promise<ScheduledTask> {
	return changeTask(ctx, caller, id, { ...buildFieldDefaults(await findTaskSettings(ctx.store.db)), ...input });
}

export async function removeTask(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const task = await lockTask(tx, caller, id, canDelete);
		await removeLockedTask(ctx, tx, caller, task);
	});
}

export const pauseTask = (ctx: Context, caller: Caller, id: string) => setTaskStatus(ctx, caller, id, "paused");
export const resumeTask = (ctx: Context, caller: Caller, id: string) => setTaskStatus(ctx, caller, id, "active");

/**
 * A copy of another's task runs with the caller's rights, so the caller must see what it uses;
 * who gets mail is not copied.
 */
export async function cloneTask(ctx: Context, caller: Caller, id: string): Promise<ScheduledTask> {
	const { owner, ...source } = await findVisibleTask(ctx.store.db, caller, id);
	const isOwn = source.owner_id === caller.userId;
	const { saved_query_id: saved_query, connection_ids: controller_connection_ids } = source;
	const { connection_group_id: connection_group } = source;
	if (!isOwn) await buildTaskColumns(ctx, caller, { saved_query, controller_connection_ids, connection_group }, null);
	const row: Columns = {
		...source,
		name: copyName(source.name),
		email_recipients: isOwn ? source.email_recipients : [],
		variable_values: JSON.stringify(source.variable_values),
		execution_count: 0,
		skipped_count: 0,
		success_count: 0,
		failure_count: 0,
	};
	const copyId = ctx.ids.uuid();
	return ctx.store.transaction(async (tx) => {
		await insertTaskRow(ctx, tx, caller, copyId, row, { status: "paused", next_run_at: null });
		await ctx.events.changed(tx, caller, {
			...buildTaskTarget({ id: copyId }),
			description: `${caller.username} copied the scheduled task "${source.name}"`,
			metadata: { copied_from: id },
		});
		return readChangedTask(ctx, tx, caller, copyId);
	});
}

const isSameValue = (a: unknown, b: unknown): boolean =>
	a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;

/**
 * What the query's variables lack or refuse. A query that cannot be run for other reasons may be
 * mended before the task is due.
 */
function answerErrors(read: () => unknown): Record<string, string[]> {
	try {
		read();
		return {};
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const answers = Object.entries(error.body).filter(([field]) => field.startsWith("variable_values"));
		return Object.fromEntries(answers) as Record<string, string[]>;
	}
}

function findConnectionProblem(id: string, found: { name: string; isActive: boolean } | null): string | null {
	if (found === null) return `There is no connection ${id} that you can see.`;
	return found.isActive ? null : `The connection "${found.name}" is not active.`;
}

/** What fields hold that are left out. */
export function buildFieldDefaults(settings: SettingsRow) {
	return {
		description: "",
		controller_connection_ids: [] as string[],
		connection_group: null,
		variable_values: {},
		interval_minutes: null,
		minute_of_hour: null,
		time_of_day: null,
		day_of_week: null,
		day_of_month: null,
		scheduled_datetime: null,
		timezone: "UTC",
		email_on_success: false,
		email_on_failure: true,
		email_recipients: [],
		retry_enabled: false,
		retry_count: settings.default_retry_count,
		retry_interval_minutes: settings.default_retry_interval_minutes,
		log_retention_days: settings.default_log_retention_days,
	};
}

function listFieldDefaults(settings: SettingsRow) {
	const { controller_connection_ids: _ids, connection_group: _group, ...fields } = buildFieldDefaults(settings);
	return { ...fields, variable_values: "{}", connection_group_id: null };
}
