/** Plans the changes of files of calendar entries and finds their errors. Reads only. */
import type { Identity } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import { listOwnEntries, type OwnedEntry } from "../calendar/sql/entries.ts";
import { checkEntryFile, type EntryChange } from "../calendar/write-entry-file.ts";
import { addRefusal, type FileErrors } from "./errors.ts";
import {
	type Found,
	findId,
	findReferences,
	type OtherPlans,
	type References,
	resolveConnection,
	resolveGroup,
} from "./find-references.ts";
import { type PlannedObject, planByName } from "./plan-by-name.ts";
import type { GivenFile } from "./plan-queries.ts";
import { findLine, type ParsedCalendarEntry } from "./rules/read-file.ts";

/** Null, and errors, where something is wrong with the file. */
function planEntry(
	{ path, file }: GivenFile<ParsedCalendarEntry>,
	before: OwnedEntry | null,
	references: References,
	errors: FileErrors,
): EntryChange | null {
	const { entry_kind, controller_connections, connection_groups, ...fields } = file.document;
	const read = (field: string, found: Found): string[] => {
		if ("id" in found) return [found.id];
		errors.add(path, findLine(file.lines, field), `${field.replace(/\.\d+$/, "")}: ${found.problem}`);
		return [];
	};
	const connections = controller_connections.flatMap((name, index) => {
		const present = before === null ? undefined : findId(before.connection_names, before.connection_ids, name);
		return read(`controller_connections.${index}`, resolveConnection(references, name, present));
	});
	const groups = connection_groups.flatMap((name, index) => {
		const present = before === null ? undefined : findId(before.group_names, before.connection_group_ids, name);
		return read(`connection_groups.${index}`, resolveGroup(references, name, present));
	});
	if (errors.has(path)) return null;
	const input = {
		...fields,
		kind: entry_kind,
		controller_connection_ids: [...new Set(connections)],
		connection_group_ids: [...new Set(groups)],
	};
	try {
		return checkEntryFile(input, before);
	} catch (error) {
		addRefusal(errors, path, file.lines, error);
		return null;
	}
}

export async function planCalendarEntries(
	tx: Tx,
	caller: Identity,
	files: readonly GivenFile<ParsedCalendarEntry>[],
	input: OtherPlans,
	errors: FileErrors,
): Promise<PlannedObject<EntryChange>[]> {
	if (files.length === 0) return [];
	const documents = files.map(({ file }) => file.document);
	const named = {
		queries: [],
		connections: documents.flatMap(({ controller_connections }) => controller_connections),
		groups: documents.flatMap(({ connection_groups }) => connection_groups),
	};
	const references = await findReferences(tx, caller, named, input);
	const owned = (await listOwnEntries(tx.db, caller)).map((row) => ({ ...row, name: row.title }));
	return planByName("calendar_entry", files, owned, errors, async (given, before) =>
		planEntry(given, before, references, errors),
	);
}
