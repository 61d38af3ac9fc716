/** Writes what a plan of files changes, in the transaction that found the plan. */
import { categoryInput, type FileChange, type SavedQueryPatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError, buildConflictError, buildForbiddenError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { type EntryChange, writeEntryFile } from "../calendar/write-entry-file.ts";
import { removeLockedCheck } from "../checks/manage-checks.ts";
import { lockOwnChecks, type OwnedCheck } from "../checks/sql/checks.ts";
import { type CheckChange, writeCheckFile } from "../checks/write-check-file.ts";
import { writeConnectionFile } from "../fabrics/write-connection-file.ts";
import { insertCategory } from "../queries/saved/manage-categories.ts";
import { createQueriesIn, removeLockedQuery, writeQueryFields } from "../queries/saved/manage-queries.ts";
import { lockOwnQueries } from "../queries/saved/sql/queries.ts";
import { removeLockedTask } from "../schedules/manage-tasks.ts";
import { lockOwnTasks, type TaskRow } from "../schedules/sql/tasks.ts";
import { type TaskChange, writeTaskFile } from "../schedules/write-task-file.ts";
import { type PlanChange, writePlanFile } from "../windows/plans/write-plan-file.ts";
import type { PlannedObject } from "./plan-by-name.ts";
import type { PlannedConnection } from "./plan-connections.ts";
import type { ObjectPlan } from "./plan-objects.ts";
import type { PlannedQuery, QueryPlan } from "./plan-queries.ts";
import { presentQuery } from "./present.ts";
import { listChangedFields } from "./rules/documents.ts";
import { keepLayout } from "./rules/layout.ts";

export interface Plan {
	readonly changes: FileChange[];
	readonly queries: QueryPlan;
	readonly schedules: ObjectPlan<TaskRow, TaskChange>;
	readonly checks: ObjectPlan<OwnedCheck, CheckChange>;
	readonly connections: readonly PlannedConnection[];
	readonly changePlans: readonly PlannedObject<PlanChange>[];
	readonly calendarEntries: readonly PlannedObject<EntryChange>[];
}

/** Ids of what the files name. */
interface References extends Pick<QueryPlan, "categories" | "groups"> {
	/** Ids of categories that were created, by their names in lower case. */
	readonly created: ReadonlyMap<string, number>;
}

/** The ids of what one file names. */
const getReferences = (
	{ categories, groups, created }: References,
	{ path, file }: Pick<PlannedQuery, "path" | "file">,
): { readonly category: number | null; readonly connection_group: string | null } => {
	const { category } = file.document;
	return {
		category: category === null ? null : (categories.get(category) ?? created.get(category.toLowerCase()) ?? null),
		connection_group: groups.get(path) ?? null,
	};
};

/** Queries that are read and changed together; each may have a large canvas. */
const BATCH = 50;

async function runInBatches<T>(items: readonly T[], work: (part: readonly T[]) => Promise<void>): Promise<void> {
	for (let at = 0; at < items.length; at += BATCH) await work(items.slice(at, at + BATCH));
}

/** @throws 409 if one of the objects was deleted since the plan was made */
function assertAllThere(locked: readonly unknown[], ids: readonly string[], noun: string): void {
	if (locked.length < ids.length) throw buildConflictError(`A ${noun} was deleted at the same time. Try again.`);
}

/** The ids of existing objects that a plan changes. */
const listChangedIds = (
	planned: readonly { readonly action: string; readonly change: { readonly before: { readonly id: string } | null } }[],
): string[] =>
	planned.flatMap(({ action, change }) => (action === "unchanged" || change.before === null ? [] : [change.before.id]));

async function updateQueries(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	planned: readonly PlannedQuery[],
	references: References,
): Promise<void> {
	const byId = new Map(planned.map((query) => [query.id, query]));
	const ids = planned.map(({ id }) => id);
	const rows = await lockOwnQueries(tx, caller.userId, ids);
	assertAllThere(rows, ids, "query");
	for (const row of rows) {
		const found = byId.get(row.id) as PlannedQuery;
		const before = presentQuery(row);
		const { document, hasLayout } = found.file;
		const flow_data = hasLayout ? document.flow_data : keepLayout(document.flow_data, before.flow_data);
		const after = { ...document, flow_data };
		const input: SavedQueryPatch = { ...after, ...getReferences(references, found) };
		const fields = listChangedFields(before, after);
		const patch = Object.fromEntries(Object.entries(input).filter(([field]) => fields.has(field)));
		await writeQueryFields(ctx, tx, caller, row, patch, row);
	}
}

async function writeQueries(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	{ queries, others, categories, groups, newCategories }: QueryPlan,
	prune: boolean,
): Promise<void> {
	const created = new Map<string, number>();
	for (const name of newCategories) {
		created.set(name.toLowerCase(), await insertCategory(ctx, tx, caller, categoryInput.parse({ name })));
	}
	const references = { categories, groups, created };
	const added = queries
		.filter(({ action }) => action === "created")
		.map((query) => ({
			id: query.id,
			input: { ...query.file.document, ...getReferences(references, query), shared_with: [] },
		}));
	await createQueriesIn(ctx, tx, caller, added, prune ? others.size : 0);
	const updated = queries.filter(({ action }) => action === "updated");
	await runInBatches(updated, (part) => updateQueries(ctx, tx, caller, part, references));
}

/** Writes changes one by one. @throws AppError 403 that names the file of the refused change */
async function writeChanged<Change>(
	planned: readonly PlannedObject<Change>[],
	write: (change: Change) => Promise<void>,
): Promise<void> {
	for (const { path, action, change } of planned) {
		if (action === "unchanged") continue;
		await write(change).catch((error: unknown) => {
			const isRefusal = error instanceof AppError && error.status === 403 && !("quota" in error.body);
			throw isRefusal ? buildForbiddenError(`${path}: ${error.message}`) : error;
		});
	}
}

/**
 * Writes all changes of a plan. With `prune` it also deletes queries, schedules and checks that
 * have no file.
 */
export async function writePlan(ctx: Context, tx: Tx, caller: Caller, plan: Plan, prune: boolean): Promise<void> {
	// Schedules and checks may name new connections.
	for (const { action, change } of plan.connections) {
		if (action !== "unchanged") await writeConnectionFile(ctx, tx, caller, change);
	}
	await writeQueries(ctx, tx, caller, plan.queries, prune);
	// Deleted before others are created, which may need their share of the quota.
	const tasks = prune ? plan.schedules.others.map(({ row }) => row.id) : [];
	for (const task of await lockOwnTasks(tx, caller.userId, tasks)) await removeLockedTask(ctx, tx, caller, task);
	const unfiled = prune ? plan.checks.others.map(({ row }) => row.id) : [];
	for (const row of await lockOwnChecks(tx, caller.userId, unfiled)) await removeLockedCheck(ctx, tx, caller, row);
	const changedTasks = listChangedIds(plan.schedules.planned);
	assertAllThere(await lockOwnTasks(tx, caller.userId, changedTasks), changedTasks, "schedule");
	for (const { action, change } of plan.schedules.planned) {
		if (action !== "unchanged") await writeTaskFile(ctx, tx, caller, change);
	}
	const changedChecks = listChangedIds(plan.checks.planned);
	assertAllThere(await lockOwnChecks(tx, caller.userId, changedChecks), changedChecks, "check");
	for (const { action, change } of plan.checks.planned) {
		if (action !== "unchanged") await writeCheckFile(ctx, tx, caller, change);
	}
	// Change plans name queries and checks.
	await writeChanged(plan.changePlans, (change) => writePlanFile(ctx, tx, caller, change));
	await writeChanged(plan.calendarEntries, (change) => writeEntryFile(ctx, tx, caller, change));
	if (!prune) return;
	await runInBatches([...plan.queries.others.values()], async (part) => {
		const ids = part.map(({ id }) => id);
		for (const row of await lockOwnQueries(tx, caller.userId, ids)) await removeLockedQuery(ctx, tx, caller, row);
	});
}
