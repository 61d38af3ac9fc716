/**
 * Column templates, validation lists and regex patterns: the same use cases for what has an owner
 * and may be shared.
 */
import type { OwnedList, PermissionRule } from "@weft/contracts";
import type { Insertable, Updateable } from "kysely";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildConflictError, buildFieldError, buildForbiddenError, buildNotFoundError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { canChange } from "./policy.ts";
import {
	findReferenceRow,
	insertReferenceRow,
	isUsedByColumn,
	listReferencePage,
	lockReferenceRow,
	type OwnedRow,
	type OwnedTable,
	type OwnedTables,
	removeReferenceRow,
	UNIQUE_NAMES,
	updateReferenceRow,
} from "./sql/reference.ts";

/** Some of the fields. */
export type Given<Input> = { readonly [Field in keyof Input]?: Input[Field] | undefined };

/** How one kind of references differs from the others. */
export interface ReferenceKind<Table extends OwnedTable, Input, Shown> {
	readonly table: Table;
	/** `validationlist`: as permissions call it. */
	readonly model: string;
	/** `validation list`: as people call it. */
	readonly noun: string;
	present(row: OwnedRow<Table>, identity: Identity): Shown;
	/** The columns of the input that is given; throws 400 where it makes no sense. */
	values(tx: Tx, caller: Identity, input: Given<Input>): Promise<Record<string, unknown>>;
}

/** The fields that all kinds have. */
interface ReferenceInput {
	readonly name: string;
	readonly is_public: boolean;
}

async function showReference<Table extends OwnedTable, Input extends ReferenceInput, Shown>(
	kind: ReferenceKind<Table, Input, Shown>,
	tx: Tx,
	caller: Identity,
	id: string,
): Promise<Shown> {
	const row = await findReferenceRow(tx.db, kind.table, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return kind.present(row, caller);
}

async function lockChangeableRow<Table extends OwnedTable, Input, Shown>(
	kind: ReferenceKind<Table, Input, Shown>,
	tx: Tx,
	caller: Caller,
	id: string,
	verb: "change" | "delete",
): Promise<OwnedRow<Table>> {
	const row = await lockReferenceRow(tx, kind.table, caller, id);
	if (row === undefined) throw buildNotFoundError();
	if (!canChange(caller, row, `${verb}_${kind.model}` as PermissionRule)) {
		throw buildForbiddenError(`Only the owner of a ${kind.noun} and administrators may do this.`);
	}
	return row;
}

async function writeWithUniqueName<T>(ctx: Context, noun: string, work: (tx: Tx) => Promise<T>): Promise<T> {
	return ctx.store.transaction(work).catch((error: unknown) => {
		if (!UNIQUE_NAMES.includes(findBrokenUnique(error) ?? "")) throw error;
		throw buildFieldError("name", `Another ${noun} has this name.`);
	});
}

export async function listReferences<Table extends OwnedTable, Input extends ReferenceInput, Shown>(
	ctx: Context,
	kind: ReferenceKind<Table, Input, Shown>,
	caller: Identity,
	filter: OwnedList,
	url: string,
) {
	return paginateRows(url, filter, await listReferencePage(ctx.store.db, kind.table, caller, filter), (row) =>
		kind.present(row, caller),
	);
}

export async function readReference<Table extends OwnedTable, Input extends ReferenceInput, Shown>(
	ctx: Context,
	kind: ReferenceKind<Table, Input, Shown>,
	caller: Identity,
	id: string,
): Promise<Shown> {
	const row = await findReferenceRow(ctx.store.db, kind.table, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return kind.present(row, caller);
}

export async function createReference<Table extends OwnedTable, Input extends ReferenceInput, Shown>(
	ctx: Context,
	kind: ReferenceKind<Table, Input, Shown>,
	caller: Caller,
	input: Input,
): Promise<Shown> {
	return writeWithUniqueName(ctx, kind.noun, async (tx) => {
		if (input.is_public) await ctx.quotas.check(caller, "can_share", tx);
		await ctx.quotas.check(caller, "automation_references_max", tx);
		const id = ctx.ids.uuid();
		const at = getNow(ctx);
		const owner = { created_by: caller.userId, creator: caller.username, created_at: at, updated_at: at };
		const row = { id, ...(await kind.values(tx, caller, input)), ...owner };
		await insertReferenceRow(tx, kind.table, row as unknown as Insertable<OwnedTables[Table]>);
		await ctx.events.changed(tx, caller, {
			targetType: kind.model,
			targetId: id,
			description: `${caller.username} made the ${kind.noun} "${input.name}"`,
		});
		return showReference(kind, tx, caller, id);
	});
}

export async function changeReference<Table extends OwnedTable, Input extends ReferenceInput, Shown>(
	ctx: Context,
	kind: ReferenceKind<Table, Input, Shown>,
	caller: Caller,
	id: string,
	input: Given<Input>,
): Promise<Shown> {
	return writeWithUniqueName(ctx, kind.noun, async (tx) => {
		const before = await lockChangeableRow(kind, tx, caller, id, "change");
		if (input.is_public === true && !before.is_public) await ctx.quotas.check(caller, "can_share", tx);
		const values = await kind.values(tx, caller, input);
		if (Object.keys(values).length === 0) {
			markUnchanged(caller);
			return showReference(kind, tx, caller, id);
		}
		const at = { updated_at: getNow(ctx) };
		await updateReferenceRow(tx, kind.table, id, { ...values, ...at } as unknown as Updateable<OwnedTables[Table]>);
		await ctx.events.changed(tx, caller, {
			targetType: kind.model,
			targetId: id,
			description: `${caller.username} changed the ${kind.noun} "${input.name ?? before.name}"`,
			metadata: { fields: Object.keys(values) },
		});
		return showReference(kind, tx, caller, id);
	});
}

export async function removeReference<Table extends OwnedTable, Input extends ReferenceInput, Shown>(
	ctx: Context,
	kind: ReferenceKind<Table, Input, Shown>,
	caller: Caller,
	id: string,
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockChangeableRow(kind, tx, caller, id, "delete");
		if (row.usage_count > 0 || (await isUsedByColumn(tx.db, kind.table, id))) {
			throw buildConflictError(`The ${kind.noun} is in use.`, { usage_count: row.usage_count });
		}
		await removeReferenceRow(tx, kind.table, id);
		await ctx.events.changed(tx, caller, {
			targetType: kind.model,
			targetId: id,
			description: `${caller.username} deleted the ${kind.noun} "${row.name}"`,
		});
	});
}
