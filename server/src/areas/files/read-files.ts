/** Reads files, and finds the errors that do not depend on stored objects. */
import type { QueryFile } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { createFileErrors, type FileErrors } from "./errors.ts";
import { formatKind } from "./plan-by-name.ts";
import type { GivenFile } from "./plan-queries.ts";
import { getDocumentName, type QueryContent } from "./rules/documents.ts";
import type {
	ParsedCalendarEntry,
	ParsedChangePlan,
	ParsedCheck,
	ParsedConnection,
	ParsedFile,
	ParsedQuery,
	ParsedSchedule,
} from "./rules/read-file.ts";
import { readFiles } from "./workers/work.ts";

export interface Files {
	readonly queries: GivenFile<ParsedQuery>[];
	readonly schedules: GivenFile<ParsedSchedule>[];
	readonly checks: GivenFile<ParsedCheck>[];
	readonly connections: GivenFile<ParsedConnection>[];
	readonly changePlans: GivenFile<ParsedChangePlan>[];
	readonly calendarEntries: GivenFile<ParsedCalendarEntry>[];
}

function addFile(files: Files, path: string, file: ParsedFile): void {
	if (file.kind === "query") files.queries.push({ path, file });
	else if (file.kind === "schedule") files.schedules.push({ path, file });
	else if (file.kind === "check") files.checks.push({ path, file });
	else if (file.kind === "connection") files.connections.push({ path, file });
	else if (file.kind === "change_plan") files.changePlans.push({ path, file });
	else files.calendarEntries.push({ path, file });
}

/** Adds to `errors` those of each file, and paths and names that two files have. */
export async function readGivenFiles(
	ctx: Context,
	given: readonly QueryFile[],
	errors: FileErrors,
	signal: AbortSignal,
): Promise<Files> {
	const results = await readFiles(
		ctx.queryFilePool,
		given.map(({ content }) => content),
		signal,
	);
	const files: Files = {
		queries: [],
		schedules: [],
		checks: [],
		connections: [],
		changePlans: [],
		calendarEntries: [],
	};
	const paths = new Set<string>();
	const names = new Map<string, string>();
	for (const [index, { path }] of given.entries()) {
		const result = results[index];
		if (paths.has(path)) errors.add(path, 1, "Another file has this path.");
		paths.add(path);
		if (result?.ok === false) for (const { line, message } of result.errors) errors.add(path, line, message);
		if (result?.ok !== true) continue;
		const { file } = result;
		const name = getDocumentName(file.document);
		const first = names.get(`${file.kind} ${name}`);
		if (first !== undefined) {
			const field = "title" in file.document ? "title" : "name";
			const problem = `The file ${first} has a ${formatKind(file.kind)} of this ${field}, too.`;
			errors.add(path, file.lines[field] ?? 1, `${field}: ${problem}`);
		} else names.set(`${file.kind} ${name}`, path);
		addFile(files, path, file);
	}
	return files;
}

/** Adds to `errors` classes that the loaded class model does not have. */
export async function checkClasses(
	ctx: Context,
	files: readonly GivenFile<ParsedQuery>[],
	errors: FileErrors,
): Promise<void> {
	const model = await ctx.classModel();
	if (model === null) return;
	for (const { path, file } of files) {
		for (const { name, line } of file.classes) {
			if (model.find(name) !== undefined) continue;
			errors.add(path, line, `There is no class "${name}" in the class model ${model.version}.`);
		}
	}
}

/**
 * The query of a file, whatever names others have used.
 * @throws AppError 400 `{errors}` with everything that is wrong with the file
 */
export async function readQueryFile(
	ctx: Context,
	given: QueryFile,
	signal: AbortSignal,
): Promise<Omit<QueryContent, "connection_group">> {
	const errors = createFileErrors();
	const { queries, ...others } = await readGivenFiles(ctx, [given], errors, signal);
	for (const { path, file } of Object.values(others).flat())
		errors.add(path, file.lines.kind ?? 1, "kind: Must be query.");
	await checkClasses(ctx, queries, errors);
	errors.throwAny();
	const [query] = queries;
	if (query === undefined) throw new Error("a file without errors has a query");
	const { connection_group: _group, ...document } = query.file.document;
	return document;
}
