/** `weft query export`, `validate` and `apply`: objects as files in a folder. */
import { join } from "node:path";
import type { FileChange, FileError, QueryFile } from "@weft/contracts";
import { queryFileRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { getErrors, reportFileErrors } from "./file-errors.ts";
import type { WrittenFile } from "./file-folder.ts";

const WRITTEN: View<WrittenFile> = {
	name: "query export",
	columns: [
		{ title: "path", value: ({ path }) => path },
		{ title: "action", value: ({ action }) => action },
	],
};

const CHANGES: View<FileChange> = {
	name: "query apply",
	columns: [
		{ title: "path", value: ({ path }) => path },
		{ title: "kind", value: ({ kind }) => kind },
		{ title: "name", value: ({ name }) => name },
		{ title: "action", value: ({ action }) => action },
	],
};

/** A file with its errors. */
interface CheckedFile {
	readonly path: string;
	readonly errors: readonly FileError[];
}

const CHECKED: View<CheckedFile> = {
	name: "query validate",
	columns: [
		{ title: "path", value: ({ path }) => path },
		{ title: "errors", value: ({ errors }) => errors.length },
	],
	failure: ({ errors }) =>
		errors.length === 0 ? null : errors.map(({ line, message }) => `${line}: ${message}`).join("\n"),
};

interface ApplyOptions {
	readonly dryRun?: true | undefined;
	readonly prune?: true | undefined;
}

export const registerQueryFiles: Register = (program, run) => {
	const noun = getNoun(program, "query", "Saved queries and their runs.");
	const write = noun
		.command("export")
		.description(
			"Write your queries, schedules, checks, connections, change plans and calendar entries as YAML files, " +
				"one per object. Deletes no file.",
		)
		.argument(
			"<dir>",
			"folder; the files are below it in queries/, schedules/, checks/, connections/, plans/ and calendar/",
		)
		.action(run(exportFiles));
	addExamples(write, "weft query export fabric");
	const validate = noun
		.command("validate")
		.description("Check the YAML files below a folder. Ends with 2 if something is wrong.")
		.argument("<dir>", "folder")
		.action(run(validateFiles));
	addExamples(validate, "weft query validate fabric", "weft query validate fabric --format junit > report.xml");
	const apply = noun
		.command("apply")
		.description(
			"Make your queries, schedules, checks, connections, change plans and calendar entries those of the files " +
				"below a folder, all or nothing.",
		)
		.argument("<dir>", "folder")
		.option("--dry-run", "print what would change, and change nothing")
		.option("--prune", "delete your queries, schedules and checks that have no file; nothing else")
		.action(run(applyFiles));
	addExamples(apply, "weft query apply fabric --dry-run --prune", "weft query apply fabric --prune");
};

async function exportFiles({ client: open, output, note }: Context, folder: string): Promise<void> {
	const client = await open();
	const { files } = await client.call(queryFileRoutes.export);
	const { writeExport } = await import("./file-folder.ts");
	const written = await writeExport(folder, files, note);
	await output.list(written, WRITTEN);
	note(`${folder}: ${countByIds(written)}.`);
	const stale = written.filter(({ action }) => action === "stale").length;
	if (stale > 0) note(`Stale files are of no object of yours. Delete them, or apply them with weft query apply.`);
}

async function validateFiles(context: Context, folder: string): Promise<void> {
	const files = await listFiles(context, folder);
	const client = await context.client();
	const errors: FileError[] = [];
	const refusal = await client.call(queryFileRoutes.validate, { body: { files } }, { isSafe: true }).then(
		() => null,
		(error: unknown) => {
			const refused = reportFileErrors(error, (path) => join(folder, path));
			if (refused === null) throw error;
			errors.push(...getErrors(error));
			return refused;
		},
	);
	const checked = files.map(({ path }) => ({ path, errors: errors.filter((one) => one.path === path) }));
	await context.output.list(checked, CHECKED);
	if (refusal !== null) throw refusal;
}

async function applyFiles(context: Context, folder: string, { dryRun, prune }: ApplyOptions): Promise<void> {
	const files = await listFiles(context, folder);
	const client = await context.client();
	const body = { files, dry_run: dryRun === true, prune: prune === true };
	const { changes } = await client.call(queryFileRoutes.apply, { body }).catch((error: unknown) => {
		throw reportFileErrors(error, (path) => join(folder, path), "Nothing was changed.") ?? error;
	});
	await context.output.list(changes, CHANGES);
	context.note(`${countByIds(changes)}.${dryRun ? " Nothing was changed (dry run)." : ""}`);
	const made = changes.filter(({ kind, action }) => kind === "connection" && action === "created");
	if (made.length > 0 && !dryRun)
		context.note(`Enter the password or private key of ${made.map(({ name }) => name).join(", ")}: files have none.`);
}

async function listFiles({ note }: Context, folder: string): Promise<QueryFile[]> {
	const { readFolder } = await import("./file-folder.ts");
	return readFolder(folder, note);
}

/** Such as `2 created, 5 unchanged`. */
function countByIds(items: readonly { readonly action: string }[]): string {
	const counts = new Map<string, number>();
	for (const { action } of items) counts.set(action, (counts.get(action) ?? 0) + 1);
	return counts.size === 0 ? "No files" : [...counts].map(([action, count]) => `${count} ${action}`).join(", ");
}
