/** Applies files: a plan of all changes first, then all of them in one transaction. */
import type { ApplyInput, FileChange, PermissionRule } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import { type AppError, buildConflictError, buildFieldError, buildForbiddenError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { findBrokenUnique, type Tx } from "../../core/ports/store.ts";
import { createFileErrors, type FileErrors } from "./errors.ts";
import { formatKind } from "./plan-by-name.ts";
import { planCalendarEntries } from "./plan-calendar.ts";
import { planChangePlans } from "./plan-change-plans.ts";
import { planConnections } from "./plan-connections.ts";
import { planChecks, planSchedules } from "./plan-objects.ts";
import { planQueries } from "./plan-queries.ts";
import { checkClasses, type Files, readGivenFiles } from "./read-files.ts";
import { tryLockQueryFiles } from "./sql.ts";
import { type Plan, writePlan } from "./write-plan.ts";

const NAMES: ReadonlySet<string> = new Set([
	"saved_queries_owner_name",
	"query_categories_name",
	"controller_connections_owner_name",
]);
const buildChangedMeanwhileError = (): AppError =>
	buildConflictError("A query, category or connection of one of these names was created at the same time. Try again.");

const buildFileChange = (
	kind: FileChange["kind"],
	path: string,
	name: string,
	action: FileChange["action"],
): FileChange => ({
	path,
	kind,
	name,
	action,
});

const VERBS = { created: "add", updated: "change", deleted: "delete" } as const;
const MODELS = {
	query: "savedquery",
	schedule: "scheduledtask",
	check: "check",
	connection: "controllerconnection",
	change_plan: "changeplan",
	calendar_entry: "calendarentry",
} as const;

/** @throws AppError 403 that names the first change without a right */
function requireRights(caller: Caller, changes: readonly FileChange[]): void {
	for (const { action, kind, path, name } of changes) {
		if (action === "unchanged") continue;
		const right: PermissionRule = `${VERBS[action]}_${MODELS[kind]}`;
		if (isAllowed(caller, right)) continue;
		throw buildForbiddenError(
			`${path}: The ${formatKind(kind)} "${name}" would be ${action}, which needs the permission ${right}.`,
		);
	}
}

async function planFiles(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	{ files, prune, errors }: { files: Files; prune: boolean; errors: FileErrors },
): Promise<Plan> {
	const queryPlan = await planQueries(ctx, tx, caller, files.queries, errors);
	const connectionPlan = await planConnections(ctx, tx, caller, files.connections, errors);
	const newConnections = connectionPlan.flatMap(({ name, action, change }) =>
		action === "created" ? [{ id: change.id, name, isActive: change.input.is_active, isOwn: true }] : [],
	);
	const others = { queryPlan, newConnections, prune };
	const schedulePlan = await planSchedules(ctx, tx, caller, { ...others, files: files.schedules }, errors);
	const checkPlan = await planChecks(ctx, tx, caller, { ...others, files: files.checks }, errors);
	const changePlans = await planChangePlans(ctx, tx, caller, files.changePlans, { ...others, checkPlan }, errors);
	const entries = await planCalendarEntries(tx, caller, files.calendarEntries, others, errors);
	const changes: FileChange[] = [
		...queryPlan.queries.map(({ path, file, action }) => buildFileChange("query", path, file.document.name, action)),
		...schedulePlan.planned.map(({ path, name, action }) => buildFileChange("schedule", path, name, action)),
		...checkPlan.planned.map(({ path, name, action }) => buildFileChange("check", path, name, action)),
		...connectionPlan.map(({ path, name, action }) => buildFileChange("connection", path, name, action)),
		...changePlans.map(({ path, name, action }) => buildFileChange("change_plan", path, name, action)),
		...entries.map(({ path, name, action }) => buildFileChange("calendar_entry", path, name, action)),
	];
	if (prune) {
		for (const [name, { path }] of queryPlan.others) changes.push(buildFileChange("query", path, name, "deleted"));
		for (const { path, row } of schedulePlan.others)
			changes.push(buildFileChange("schedule", path, row.name, "deleted"));
		for (const { path, row } of checkPlan.others) changes.push(buildFileChange("check", path, row.name, "deleted"));
	}
	return {
		changes,
		queries: queryPlan,
		schedules: schedulePlan,
		checks: checkPlan,
		connections: connectionPlan,
		changePlans,
		calendarEntries: entries,
	};
}

/**
 * @throws AppError 400 `{errors}` with everything that is wrong with the files, 403 for a right
 * or quota that the caller lacks, 409 while another request applies files of the caller
 */
export async function applyFiles(
	ctx: Context,
	caller: Caller,
	{ files: given, dry_run, prune }: ApplyInput,
	signal: AbortSignal,
): Promise<{ changes: FileChange[] }> {
	if (prune && given.length === 0) {
		throw buildFieldError("files", "Prune needs at least one file. Without any it would delete everything.");
	}
	const errors = createFileErrors();
	const files = await readGivenFiles(ctx, given, errors, signal);
	await checkClasses(ctx, files.queries, errors);
	try {
		return await ctx.store.transaction(async (tx) => {
			if (!dry_run && !(await tryLockQueryFiles(tx, caller.userId))) {
				throw buildConflictError("Another request applies files of yours. Try again when it has ended.");
			}
			const plan = await planFiles(ctx, tx, caller, { files, prune, errors });
			errors.throwAny();
			const { changes } = plan;
			if (dry_run || changes.every(({ action }) => action === "unchanged")) {
				markUnchanged(caller);
				return { changes };
			}
			requireRights(caller, changes);
			await writePlan(ctx, tx, caller, plan, prune);
			return { changes };
		});
	} catch (error) {
		throw NAMES.has(findBrokenUnique(error) ?? "") ? buildChangedMeanwhileError() : error;
	}
}
