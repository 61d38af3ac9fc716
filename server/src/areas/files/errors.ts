/** Errors of files by path and line, as many as one answer shows. */
import { APPLY_LIMITS, type FileError } from "@weft/contracts";
import { AppError } from "../../core/errors.ts";
import { findLine, type Lines } from "./rules/read-file.ts";

const MESSAGE_MAX = 500;

export function createFileErrors() {
	const errors: FileError[] = [];
	const counts = new Map<string, number>();
	return {
		add(path: string, line: number, message: string): void {
			const count = counts.get(path) ?? 0;
			counts.set(path, count + 1);
			if (count >= APPLY_LIMITS.errorsPerFile || errors.length >= APPLY_LIMITS.errors) return;
			const shown = message.length > MESSAGE_MAX ? `${message.slice(0, MESSAGE_MAX - 1).toWellFormed()}…` : message;
			errors.push({ path, line, message: shown });
		},
		has: (path: string): boolean => counts.has(path),
		/** @throws AppError 400 if there are errors, ordered by path and line */
		throwAny(): void {
			if (errors.length === 0) return;
			errors.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
			throw new AppError(400, { errors });
		},
	};
}
/**
 * Adds the messages by field with which an area refuses a file.
 * @param rename a field's name in files
 * @throws the error if it is no refusal of the file
 */
export function addRefusal(
	errors: FileErrors,
	path: string,
	lines: Lines,
	error: unknown,
	rename: (field: string) => string = (field) => field,
): void {
	if (!(error instanceof AppError) || error.status >= 500) throw error;
	for (const [field, messages] of Object.entries(error.body)) {
		const name = rename(field);
		for (const message of [messages].flat()) errors.add(path, findLine(lines, name), `${name}: ${String(message)}`);
	}
}

export type FileErrors = ReturnType<typeof createFileErrors>;
