/** Pairs files with the caller's objects of the same name, which need not be unique. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { FileKind } from "@weft/contracts";
import type { FileErrors } from "./errors.ts";
import { groupByName } from "./find-references.ts";
import type { GivenFile } from "./plan-queries.ts";
import { getDocumentName } from "./rules/documents.ts";
import type { Lines } from "./rules/read-file.ts";

export interface PlannedObject<Change> {
	readonly path: string;
	readonly name: string;
	readonly action: "created" | "updated" | "unchanged";
	readonly change: Change;
}

export interface Changed {
	/** Names of fields that differ from the stored object. */
	readonly fields: readonly string[];
}

interface NamedFile {
	readonly document: { readonly name: string } | { readonly title: string };
	readonly lines: Lines;
}

/** Files that are checked before other requests get a turn. */
const CHECKED_AT_ONCE = 20;

/** The kind in sentences, such as `change plan`. */
export const formatKind = (kind: FileKind): string => kind.replaceAll("_", " ");

/**
 * Plans each file. Two objects of one name are an error of the file.
 * @param owned the caller's objects of the kind
 * @param plan null, and errors, where something is wrong with the file
 */
export async function planByName<File extends NamedFile, Row extends { readonly name: string }, Change extends Changed>(
	kind: FileKind,
	files: readonly GivenFile<File>[],
	owned: readonly Row[],
	errors: FileErrors,
	plan: (given: GivenFile<File>, before: Row | null) => Promise<Change | null>,
): Promise<PlannedObject<Change>[]> {
	const byName = groupByName(owned);
	const planned: PlannedObject<Change>[] = [];
	for (const [index, given] of files.entries()) {
		const { path, file } = given;
		const name = getDocumentName(file.document);
		const [before = null, ...more] = byName.get(name) ?? [];
		if (more.length > 0) {
			const field = "title" in file.document ? "title" : "name";
			const nouns = formatKind(kind).replace(/y$/, "ie");
			const problem = `You have ${more.length + 1} ${nouns}s "${name}". Rename or delete all but one.`;
			errors.add(path, file.lines[field] ?? 1, `${field}: ${problem}`);
			continue;
		}
		const change = await plan(given, before);
		if (change !== null) {
			const action = before === null ? "created" : change.fields.length > 0 ? "updated" : "unchanged";
			planned.push({ path, name, action, change });
		}
		if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await nextEventLoopTurn();
	}
	return planned;
}
