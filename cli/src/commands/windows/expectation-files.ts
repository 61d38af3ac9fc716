/** Expectations of files: a list in YAML, or a plan of Terraform. */
import { readFile } from "node:fs/promises";
import type { ExpectationImport } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";

/**
 * Reads expectations from a file, or from standard input for `-`.
 * @throws CliError for a file that cannot be read
 */
export async function readExpectations(
	context: Context,
	file: string,
	format: "yaml" | "terraform",
): Promise<ExpectationImport> {
	if (file === "-") return { format, content: (await context.input.readAll(FILE_MAX)).toString("utf8") };
	const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
		throw buildInputError(`${file} cannot be read (${error.code}).`);
	});
	return { format, content };
}

/** Upper bound of standard input, in bytes. The service has a limit of its own. */
const FILE_MAX = 16 * 1024 * 1024;

/** Imports expectations. Notes their number, and each part that is not understood. */
export async function importExpectations(
	context: Context,
	client: WeftClient,
	id: string,
	body: ExpectationImport,
): Promise<void> {
	const answer = await client.call(changeWindowRoutes.importExpectations, { params: { id }, body });
	context.note(answer.added === 1 ? "1 expectation added." : `${answer.added} expectations added.`);
	for (const { what, reason } of answer.not_understood) context.note(`Not understood: ${what}: ${reason}`);
}
