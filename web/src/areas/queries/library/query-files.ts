/** Objects as YAML files: the kinds of an export, and import of files with a preview. */
import type { FileChange, FileError, FileKind, QueryFile } from "@weft/contracts";
import { queryFileRoutes } from "@weft/contracts/browser";
import { WeftError } from "@weft/sdk";
import { callRoute } from "../../../platform/call.ts";
import { type Document, splitDocuments } from "./yaml-documents.ts";

/** The documents of chosen files, and the changes that applying them would make. */
export interface ImportPlan {
	readonly documents: readonly Document[];
	readonly changes: readonly FileChange[];
	/** `FILE:LINE: message`; without errors the files can be applied. */
	readonly errors: readonly string[];
}

/** Kinds of exported objects, with the folders that the service gives their files. */
export const EXPORT_KINDS: readonly (readonly [kind: FileKind, label: string, folder: string])[] = [
	["query", "Queries", "queries/"],
	["schedule", "Schedules", "schedules/"],
	["check", "Checks", "checks/"],
	["connection", "Connections", "connections/"],
	["change_plan", "Change plans", "plans/"],
	["calendar_entry", "Calendar entries", "calendar/"],
];

export function getFilesOfKind(files: readonly QueryFile[], kind: FileKind): readonly QueryFile[] {
	const folder = EXPORT_KINDS.find(([each]) => each === kind)?.[2] ?? "";
	return files.filter(({ path }) => path.startsWith(folder));
}

/** Joins files into one with a YAML document for each. */
export const joinDocuments = (files: readonly QueryFile[]): string => files.map(({ content }) => content).join("---\n");

export async function planImport(files: readonly File[]): Promise<ImportPlan> {
	const documents = (await Promise.all(files.map(async (file) => splitDocuments(file.name, await file.text())))).flat();
	try {
		const { changes } = await callRoute(queryFileRoutes.validate, { body: { files: getFiles(documents) } });
		return { documents, changes, errors: [] };
	} catch (error) {
		const errors = getFileErrors(error).map((one) => formatError(one, documents));
		if (errors.length === 0) throw error;
		return { documents, changes: [], errors };
	}
}

export async function applyImport({ documents }: ImportPlan): Promise<readonly FileChange[]> {
	return (await callRoute(queryFileRoutes.apply, { body: { files: getFiles(documents) } })).changes;
}

const getFiles = (documents: readonly Document[]): QueryFile[] =>
	documents.map(({ path, content }) => ({ path, content }));

/** Errors with their lines; none for a refusal of another kind. */
function getFileErrors(error: unknown): readonly FileError[] {
	if (!(error instanceof WeftError) || error.status !== 400) return [];
	const { errors } = error.body as { errors?: FileError[] };
	return Array.isArray(errors) ? errors : [];
}

function formatError({ path, line, message }: FileError, documents: readonly Document[]): string {
	const document = documents.find((one) => one.path === path);
	return `${document?.fileName ?? path}:${line + (document?.linesBefore ?? 0)}: ${message}`;
}
