/** Refusals of the service that are about files. */
import type { FileError } from "@weft/contracts";
import { WeftError } from "@weft/sdk";
import { type CliError, listFileErrors } from "../../errors.ts";

/** Errors with their lines; none for a refusal of another kind. */
export function getErrors(error: unknown): FileError[] {
	if (!(error instanceof WeftError) || error.status !== 400) return [];
	const { errors } = error.body as { errors?: FileError[] };
	return Array.isArray(errors) ? errors : [];
}

/** `FILE:LINE: message` for each error; null for a refusal of another kind. */
export function reportFileErrors(error: unknown, getName: (path: string) => string, consequence = ""): CliError | null {
	const lines = getErrors(error).map(({ path, line, message }) => `${getName(path)}:${line}: ${message}`);
	return lines.length === 0 ? null : listFileErrors(lines, consequence);
}
