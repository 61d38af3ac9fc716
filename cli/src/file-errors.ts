/** Refusals of the service that are about files. */
import type { FileError } from "@weft/contracts";
import { WeftError } from "@weft/sdk";
import { type CliError, fileErrors } from "./errors.ts";

/** Errors with their lines; none for a refusal of another kind. */
export function errorsOf(error: unknown): FileError[] {
	if (!(error instanceof WeftError) || error.status !== 400) return [];
	const { errors } = error.body as { errors?: FileError[] };
	return Array.isArray(errors) ? errors : [];
}

/** `FILE:LINE: message` for each error; null for a refusal of another kind. */
export function asFileErrors(error: unknown, nameOf: (path: string) => string, consequence = ""): CliError | null {
	const lines = errorsOf(error).map(({ path, line, message }) => `${nameOf(path)}:${line}: ${message}`);
	return lines.length === 0 ? null : fileErrors(lines, consequence);
}
