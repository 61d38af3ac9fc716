/** Calendar entries as files: compares a file with the stored entry, and writes it. */
import type { CalendarEntryInput, CalendarEntryPatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import { assertTimes, type Columns, insertEntry, readColumns, writeEntryFields } from "./manage-entries.ts";
import { presentSettings } from "./present.ts";
import type { EntryRow } from "./sql/entries.ts";

/** A checked file: the change that writing it makes. */
export interface EntryChange {
	/** Null for a new entry. */
	readonly id: string | null;
	readonly input: CalendarEntryInput;
	/** The fields that differ; empty if the entry is as the file says. */
	readonly patch: CalendarEntryPatch;
	readonly fields: readonly string[];
}

/** The stored fields as a request has them. */
const presentFields = (row: EntryRow): CalendarEntryInput => ({
	kind: row.kind,
	...presentSettings(row),
	controller_connection_ids: row.connection_ids,
	connection_group_ids: row.connection_group_ids,
});

/** Times are equal whatever their offset. */
const normalizeTimes = (input: CalendarEntryInput): CalendarEntryInput => ({
	...input,
	starts_at: new Date(input.starts_at).toISOString(),
	ends_at: new Date(input.ends_at).toISOString(),
	exdates: input.exdates.map((date) => new Date(date).toISOString()),
});

/**
 * Finds the change that a file makes. Rights are checked when it is written.
 * @param before the stored entry; null for a new one
 * @throws AppError 400 by field
 */
export function checkEntryFile(given: CalendarEntryInput, before: EntryRow | null): EntryChange {
	const input = normalizeTimes(given);
	assertTimes(readColumns(input) as Columns);
	if (before === null) return { id: null, input, patch: {}, fields: [] };
	const stored: Readonly<Record<string, unknown>> = { ...presentFields(before) };
	const differing = Object.entries(input).filter(
		([field, value]) => JSON.stringify(value) !== JSON.stringify(stored[field]),
	);
	const fields = differing.map(([field]) => field);
	return { id: before.id, input, patch: Object.fromEntries(differing), fields };
}

/** @throws AppError 403 for a right or quota that the caller lacks, 404 if the entry was deleted */
export async function writeEntryFile(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	{ id, input, patch }: EntryChange,
): Promise<void> {
	if (id === null) await insertEntry(ctx, tx, caller, readColumns(input) as Columns);
	else await writeEntryFields(ctx, tx, caller, id, patch);
}
