/** Documents of a YAML file. Pure. */
import type { QueryFile } from "@weft/contracts";

/** One document of a file that the person chose. */
export interface Document extends QueryFile {
	readonly fileName: string;
	/** Lines of the file before the document. */
	readonly linesBefore: number;
}

/**
 * Splits a file at its document markers. A marker within a text of an exported file is indented and
 * stays.
 */
export function splitDocuments(fileName: string, text: string): Document[] {
	const documents: Document[] = [];
	let linesBefore = 0;
	for (const content of text.split(/^---[ \t]*\r?\n/m)) {
		const path = documents.length === 0 ? fileName : `${fileName} (${documents.length + 1})`;
		if (content.trim() !== "") documents.push({ path, content, fileName, linesBefore });
		linesBefore += content.split("\n").length;
	}
	return documents;
}
