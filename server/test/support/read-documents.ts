/** Files as they are read: the document, or the errors. */
import { readFile } from "../../src/areas/files/rules/read-file.ts";

/** Reads a file that must be right. */
export const readDocument = (text: string) => {
	const result = readFile(text);
	if (!result.ok) throw new Error(JSON.stringify(result.errors));
	return result.file;
};

/** One line for each error: line, message. */
export const getErrors = (text: string): string[] => {
	const result = readFile(text);
	return result.ok ? [] : result.errors.map(({ line, message }) => `${line}: ${message}`);
};
