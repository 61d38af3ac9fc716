/** Checks as files: the owner's checks, what a file would make of one, and writing it. */
import type { CheckCreate } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { KnownReferences } from "../schedules/known-references.ts";
import { buildCheckColumns, type Columns, FIELD_DEFAULTS, insertCheck, writeChange } from "./manage-checks.ts";
import { isSameJson } from "./rules/same-json.ts";
import type { CheckRow } from "./sql/checks.ts";

/** A checked file: what writing it would do. */
export interface CheckChange {
	/** A new check has its future id. */
	readonly id: string;
	/** Null for a new check. */
	readonly before: CheckRow | null;
	readonly columns: Columns;
	/** Names of fields that differ; empty if the check is as the file says. */
	readonly fields: readonly string[];
}

/** @throws AppError 400 by field */
export async function checkCheckFile(
	ctx: Context,
	caller: Identity,
	input: CheckCreate,
	before: CheckRow | null,
	known: KnownReferences,
): Promise<CheckChange> {
	const columns = await buildCheckColumns(ctx, caller, { ...FIELD_DEFAULTS, ...input }, before, known);
	const names = Object.keys(columns) as (keyof Columns)[];
	const fields = before === null ? [] : names.filter((name) => !isSameJson(columns[name], before[name]));
	return { id: before?.id ?? ctx.ids.uuid(), before, columns, fields };
}

export async function writeCheckFile(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	{ id, before, columns, fields }: CheckChange,
): Promise<void> {
	if (before === null) await insertCheck(ctx, tx, caller, columns, id);
	else await writeChange(ctx, tx, caller, before, columns, fields);
}
