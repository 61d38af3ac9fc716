/**
 * Plans the changes of files that refer to a query and connections (schedules and checks) and finds
 * their errors. Reads only.
 */
import type { FileKind } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import { listOwnChecks, type OwnedCheck } from "../checks/sql/checks.ts";
import { type CheckChange, checkCheckFile } from "../checks/write-check-file.ts";
import { listOwnTasks, type TaskRow } from "../schedules/sql/tasks.ts";
import { checkTaskFile, type TaskChange } from "../schedules/write-task-file.ts";
import { addRefusal, type FileErrors } from "./errors.ts";
import {
	findId,
	findReferences,
	indexReferences,
	listReferences,
	type PlanInput,
	type References,
	type Referring,
	type ReferringContent,
	type ReferringFile,
	resolveConnection,
	resolveGroup,
	resolveQuery,
} from "./find-references.ts";
import { type Changed, type PlannedObject, planByName } from "./plan-by-name.ts";
import type { GivenFile } from "./plan-queries.ts";
import type { CheckContent, ScheduleContent } from "./rules/documents.ts";
import { createPaths } from "./rules/paths.ts";

type Kind = Extract<FileKind, "schedule" | "check">;

/** A document with ids instead of names. */
type Resolved<Content> = Omit<Content, "saved_query" | "controller_connections" | "connection_group"> & {
	/** Absent where files of the kind name no group. */
	readonly connection_group?: string | null;
	readonly saved_query: string;
	readonly controller_connection_ids: string[];
};

export interface ObjectPlan<Row, Change> {
	readonly planned: readonly PlannedObject<Change>[];
	/** The caller's objects without a file. */
	readonly others: readonly { readonly row: Row; readonly path: string }[];
}

/** Checks the fields of a file. @throws AppError 400 by field */
type CheckFile<Content, Row, Change> = (input: Resolved<Content>, before: Row | null) => Promise<Change>;

/** Keys of files whose name is another than that of the field. */
const KEYS: Readonly<Record<string, string>> = { controller_connection_ids: "controller_connections" };

/** Null, and errors, where something is wrong with the file. */
async function planObject<Content extends ReferringContent, Row extends Referring, Change extends Changed>(
	kind: Kind,
	{ path, file }: GivenFile<ReferringFile<Content>>,
	before: Row | null,
	references: References,
	check: CheckFile<Content, Row, Change>,
	errors: FileErrors,
): Promise<Change | null> {
	const document: Content = file.document;
	const { saved_query, controller_connections, connection_group, ...fields } = document;
	const query = resolveQuery(
		references,
		saved_query,
		before?.query_name === saved_query ? before.saved_query_id : undefined,
	);
	if ("problem" in query) errors.add(path, file.lines.saved_query ?? 1, `saved_query: ${query.problem}`);
	const connectionIds = controller_connections.flatMap((name, index) => {
		const present = before === null ? undefined : findId(before.connection_names, before.connection_ids, name);
		const found = resolveConnection(references, name, present);
		if ("id" in found) return [found.id];
		errors.add(path, file.connectionLines[index] ?? 1, `controller_connections: ${found.problem}`);
		return [];
	});
	const presentGroup = before?.connection_group_name === connection_group ? before?.connection_group_id : null;
	const group = connection_group ? resolveGroup(references, connection_group, presentGroup ?? undefined) : null;
	if (group !== null && "problem" in group) {
		errors.add(path, file.lines.connection_group ?? 1, `connection_group: ${group.problem}`);
		return null;
	}
	if ("problem" in query || errors.has(path)) return null;
	const controller_connection_ids = [...new Set(connectionIds)];
	const connection_group_id = kind === "schedule" ? { connection_group: group?.id ?? null } : {};
	const input = { ...fields, saved_query: query.id, controller_connection_ids, ...connection_group_id };
	try {
		return await check(input, before);
	} catch (error) {
		addRefusal(errors, path, file.lines, error, (field) => field.replace(/^[^.]+/, (key) => KEYS[key] ?? key));
		return null;
	}
}

/** @param owned the caller's objects of the kind */
async function planObjects<Content extends ReferringContent, Row extends Referring, Change extends Changed>(
	kind: Kind,
	owned: readonly Row[],
	input: PlanInput<Content>,
	references: References,
	check: CheckFile<Content, Row, Change>,
	errors: FileErrors,
): Promise<ObjectPlan<Row, Change>> {
	const getPath = createPaths();
	const withPaths = owned.map((row) => ({ row, path: getPath(kind, row.name) }));
	const planned = await planByName(kind, input.files, owned, errors, (given, before) =>
		planObject(kind, given, before, references, check, errors),
	);
	const names = new Set(input.files.map(({ file }) => file.document.name));
	return { planned, others: withPaths.filter(({ row }) => !names.has(row.name)) };
}

export async function planSchedules(
	ctx: Context,
	tx: Tx,
	caller: Identity,
	input: PlanInput<ScheduleContent>,
	errors: FileErrors,
): Promise<ObjectPlan<TaskRow, TaskChange>> {
	const owned = await listOwnTasks(tx.db, caller.userId);
	const references = await findReferences(tx, caller, listReferences(input.files), input);
	const known = indexReferences(tx, caller, references);
	const check: CheckFile<ScheduleContent, TaskRow, TaskChange> = (fields, before) =>
		checkTaskFile(ctx, caller, fields, before, known);
	return planObjects("schedule", owned, input, references, check, errors);
}

export async function planChecks(
	ctx: Context,
	tx: Tx,
	caller: Identity,
	input: PlanInput<CheckContent>,
	errors: FileErrors,
): Promise<ObjectPlan<OwnedCheck, CheckChange>> {
	const owned = await listOwnChecks(tx.db, caller.userId);
	const references = await findReferences(tx, caller, listReferences(input.files), input);
	const known = indexReferences(tx, caller, references);
	const check: CheckFile<CheckContent, OwnedCheck, CheckChange> = (fields, before) =>
		checkCheckFile(ctx, caller, fields, before, known);
	return planObjects("check", owned, input, references, check, errors);
}
