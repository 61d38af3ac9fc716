/** Applies files: a plan of all changes first, then all of them in one transaction. */
import type { ApplyInput, FileChange, PermissionRule, QueryFile, SavedQueryPatch } from "@weft/contracts";
import { categoryInput } from "@weft/contracts";
import { type Caller, isAllowed } from "../../platform/caller.ts";
import { type AppError, buildConflictError, buildForbiddenError, invalidField } from "../../platform/errors.ts";
import { markUnchanged } from "../../platform/events.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import { brokenUnique, type Store, type Tx } from "../../ports/store.ts";
import type { CheckChange, ChecksFeature, OwnedCheck } from "../checks/index.ts";
import type { QueryFiles } from "../saved-queries/index.ts";
import { lockOwnQueries } from "../saved-queries/repo.ts";
import type { Schedules, TaskChange, TaskRow } from "../schedules/index.ts";
import { type CheckContent, changedFields, type QueryContent, type ScheduleContent } from "./domain/documents.ts";
import { keepLayout } from "./domain/layout.ts";
import type { ParsedCheck, ParsedFile, ParsedQuery, ParsedSchedule } from "./domain/read-file.ts";
import { createFileErrors, type FileErrors } from "./errors.ts";
import { presentQuery } from "./present.ts";
import { tryLockQueryFiles } from "./repo.ts";
import type { GivenFile, PlannedQuery, QueryPlan, QueryPlanner } from "./service-plan.ts";
import type { ObjectPlan, ObjectPlanner } from "./service-references.ts";
import type { FileWork } from "./workers/work.ts";

export interface ApplyDeps {
	readonly store: Store;
	readonly classModel: CurrentModel;
	readonly queries: Pick<QueryFiles, "createAll" | "lockOwn" | "write" | "remove" | "addCategory">;
	readonly schedules: Pick<Schedules["files"], "write" | "remove" | "lockOwned">;
	readonly queryPlanner: QueryPlanner;
	readonly checks: Pick<ChecksFeature["files"], "write" | "remove" | "lockOwned">;
	readonly schedulePlanner: ObjectPlanner<ScheduleContent, TaskRow, TaskChange>;
	readonly checkPlanner: ObjectPlanner<CheckContent, OwnedCheck, CheckChange>;
	readonly work: Pick<FileWork, "read">;
}

interface Files {
	readonly queries: GivenFile<ParsedQuery>[];
	readonly schedules: GivenFile<ParsedSchedule>[];
	readonly checks: GivenFile<ParsedCheck>[];
}

interface Plan {
	readonly changes: FileChange[];
	readonly queries: QueryPlan;
	readonly schedules: ObjectPlan<TaskRow, TaskChange>;
	readonly checks: ObjectPlan<OwnedCheck, CheckChange>;
}

/** Ids of what the files name. */
interface References {
	getCategory(document: QueryContent): number | null;
	getGroup(path: string): string | null;
}

/** Queries that are read and changed together; each may have a large canvas. */
const BATCH = 50;

export function createApply(deps: ApplyDeps) {
	const { store, queries, schedules, checks } = deps;

	async function readAll(given: readonly QueryFile[], errors: FileErrors, signal: AbortSignal): Promise<Files> {
		const results = await deps.work.read(
			given.map(({ content }) => content),
			signal,
		);
		const files: Files = { queries: [], schedules: [], checks: [] };
		const paths = new Set<string>();
		const names = new Map<string, string>();
		for (const [index, { path }] of given.entries()) {
			const result = results[index];
			if (paths.has(path)) errors.add(path, 1, "Another file has this path.");
			paths.add(path);
			if (result?.ok === false) for (const { line, message } of result.errors) errors.add(path, line, message);
			if (result?.ok !== true) continue;
			const { file } = result;
			const { name } = file.document;
			const first = names.get(`${file.kind} ${name}`);
			if (first !== undefined) {
				errors.add(path, file.lines.name ?? 1, `name: The file ${first} has a ${file.kind} of this name, too.`);
			} else names.set(`${file.kind} ${name}`, path);
			addFile(files, path, file);
		}
		return files;
	}

	async function checkClasses(files: readonly GivenFile<ParsedQuery>[], errors: FileErrors): Promise<void> {
		const model = await deps.classModel();
		if (model === null) return;
		for (const { path, file } of files) {
			for (const { name, line } of file.classes) {
				if (model.find(name) !== undefined) continue;
				errors.add(path, line, `There is no class "${name}" in the class model ${model.version}.`);
			}
		}
	}

	async function planAll(
		tx: Tx,
		caller: Caller,
		{ files, prune, errors }: { files: Files; prune: boolean; errors: FileErrors },
	): Promise<Plan> {
		const queryPlan = await deps.queryPlanner.plan(tx, caller, files.queries, errors);
		const of = <Given>(given: Given) => ({ files: given, queryPlan, prune });
		const schedulePlan = await deps.schedulePlanner.plan(tx, caller, of(files.schedules), errors);
		const checkPlan = await deps.checkPlanner.plan(tx, caller, of(files.checks), errors);
		const changes: FileChange[] = [
			...queryPlan.queries.map(({ path, file, action }) => buildFileChange("query", path, file.document.name, action)),
			...schedulePlan.planned.map(({ path, name, action }) => buildFileChange("schedule", path, name, action)),
			...checkPlan.planned.map(({ path, name, action }) => buildFileChange("check", path, name, action)),
		];
		if (prune) {
			for (const [name, { path }] of queryPlan.others) changes.push(buildFileChange("query", path, name, "deleted"));
			for (const { path, row } of schedulePlan.others)
				changes.push(buildFileChange("schedule", path, row.name, "deleted"));
			for (const { path, row } of checkPlan.others) changes.push(buildFileChange("check", path, row.name, "deleted"));
		}
		return { changes, queries: queryPlan, schedules: schedulePlan, checks: checkPlan };
	}

	async function writeAll(tx: Tx, caller: Caller, plan: Plan, prune: boolean): Promise<void> {
		const categories = new Map<string, number>();
		for (const name of plan.queries.newCategories) {
			categories.set(name.toLowerCase(), await queries.addCategory(tx, caller, categoryInput.parse({ name })));
		}
		const getCategory = ({ category }: QueryContent): number | null =>
			category === null
				? null
				: (plan.queries.categories.get(category) ?? categories.get(category.toLowerCase()) ?? null);
		const of = (action: PlannedQuery["action"]) => plan.queries.queries.filter((one) => one.action === action);
		const getGroup = (path: string): string | null => plan.queries.groups.get(path) ?? null;
		const created = of("created").map(({ id, path, file: { document } }) => {
			const references = { category: getCategory(document), connection_group: getGroup(path) };
			return { id, input: { ...document, ...references, shared_with: [] } };
		});
		await queries.createAll(tx, caller, created, prune ? plan.queries.others.size : 0);
		await inBatches(of("updated"), (part) => updateQueries(tx, caller, part, { getCategory, getGroup }));
		// Deleted before others are created, which may need their share of the quota.
		const tasks = prune ? plan.schedules.others.map(({ row }) => row.id) : [];
		for (const task of await schedules.lockOwned(tx, caller.userId, tasks)) await schedules.remove(tx, caller, task);
		const unfiled = prune ? plan.checks.others.map(({ row }) => row.id) : [];
		for (const row of await checks.lockOwned(tx, caller.userId, unfiled)) await checks.remove(tx, caller, row);
		for (const { action, change } of plan.schedules.planned) {
			if (action !== "unchanged") await schedules.write(tx, caller, change);
		}
		for (const { action, change } of plan.checks.planned) {
			if (action !== "unchanged") await checks.write(tx, caller, change);
		}
		if (!prune) return;
		await inBatches([...plan.queries.others.values()], async (part) => {
			const ids = part.map(({ id }) => id);
			for (const row of await lockOwnQueries(tx, caller.userId, ids)) await queries.remove(tx, caller, row);
		});
	}

	async function updateQueries(
		tx: Tx,
		caller: Caller,
		planned: readonly PlannedQuery[],
		{ getCategory, getGroup }: References,
	): Promise<void> {
		const byId = new Map(planned.map((query) => [query.id, query]));
		const ids = planned.map(({ id }) => id);
		for (const row of await lockOwnQueries(tx, caller.userId, ids)) {
			const found = byId.get(row.id);
			if (found === undefined) continue;
			const before = presentQuery(row);
			const { document, hasLayout } = found.file;
			const flow_data = hasLayout ? document.flow_data : keepLayout(document.flow_data, before.flow_data);
			const after = { ...document, flow_data };
			const input: SavedQueryPatch = {
				...after,
				category: getCategory(document),
				connection_group: getGroup(found.path),
			};
			const fields = changedFields(before, after);
			const patch = Object.fromEntries(Object.entries(input).filter(([field]) => fields.has(field)));
			await queries.write(tx, caller, row, patch, row);
		}
	}

	return {
		/**
		 * The query of a file, whatever names others have used.
		 * @throws AppError 400 `{errors}` with everything that is wrong with the file
		 */
		async read(given: QueryFile, signal: AbortSignal): Promise<Omit<QueryContent, "connection_group">> {
			const errors = createFileErrors();
			const { queries, schedules, checks } = await readAll([given], errors, signal);
			for (const { path, file } of [...schedules, ...checks])
				errors.add(path, file.lines.kind ?? 1, "kind: Must be query.");
			await checkClasses(queries, errors);
			errors.throwAny();
			const [query] = queries;
			if (query === undefined) throw new Error("a file without errors has a query");
			const { connection_group: _group, ...document } = query.file.document;
			return document;
		},

		/**
		 * @throws AppError 400 `{errors}` with everything that is wrong with the files, 403 for a right
		 * or quota that the caller lacks, 409 while another request applies files of the caller
		 */
		async apply(
			caller: Caller,
			{ files: given, dry_run, prune }: ApplyInput,
			signal: AbortSignal,
		): Promise<{ changes: FileChange[] }> {
			if (prune && given.length === 0) {
				throw invalidField("files", "Prune needs at least one file. Without any it would delete everything.");
			}
			const errors = createFileErrors();
			const files = await readAll(given, errors, signal);
			await checkClasses(files.queries, errors);
			try {
				return await store.transaction(async (tx) => {
					if (!dry_run && !(await tryLockQueryFiles(tx, caller.userId))) {
						throw buildConflictError("Another request applies files of yours. Try again when it has ended.");
					}
					const plan = await planAll(tx, caller, { files, prune, errors });
					errors.throwAny();
					const { changes } = plan;
					if (dry_run || changes.every(({ action }) => action === "unchanged")) {
						markUnchanged(caller);
						return { changes };
					}
					requireRights(caller, changes);
					await writeAll(tx, caller, plan, prune);
					return { changes };
				});
			} catch (error) {
				throw NAMES.has(brokenUnique(error) ?? "") ? changedMeanwhile() : error;
			}
		},
	};
}
export type Apply = ReturnType<typeof createApply>;

const NAMES: ReadonlySet<string> = new Set(["saved_queries_owner_name", "query_categories_name"]);
const changedMeanwhile = (): AppError =>
	buildConflictError("A query or category of one of these names was created at the same time. Try again.");

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

function addFile(files: Files, path: string, file: ParsedFile): void {
	if (file.kind === "query") files.queries.push({ path, file });
	else if (file.kind === "schedule") files.schedules.push({ path, file });
	else files.checks.push({ path, file });
}

const VERBS = { created: "add", updated: "change", deleted: "delete" } as const;
const MODELS = { query: "savedquery", schedule: "scheduledtask", check: "check" } as const;

/** @throws AppError 403 that names the first change without a right */
function requireRights(caller: Caller, changes: readonly FileChange[]): void {
	for (const { action, kind, path, name } of changes) {
		if (action === "unchanged") continue;
		const right: PermissionRule = `${VERBS[action]}_${MODELS[kind]}`;
		if (isAllowed(caller, right)) continue;
		throw buildForbiddenError(
			`${path}: The ${kind} "${name}" would be ${action}, which needs the permission ${right}.`,
		);
	}
}

async function inBatches<T>(items: readonly T[], work: (part: readonly T[]) => Promise<void>): Promise<void> {
	for (let at = 0; at < items.length; at += BATCH) await work(items.slice(at, at + BATCH));
}
