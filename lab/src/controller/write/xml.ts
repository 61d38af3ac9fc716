/** The XML subset of controller bodies: elements, attributes, comments and the five entities. */
import { ApiError } from "../errors.ts";
import type { TreeNode } from "../tree.ts";

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const MAX_DEPTH = 40;

/** @throws ApiError 400 when the text is not one element */
export function parseXml(text: string): TreeNode {
	const source = text.replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->/g, "");
	const reader = { source, at: 0 };
	skipWhitespace(reader);
	const node = readElement(reader, 0);
	skipWhitespace(reader);
	if (reader.at < source.length) throw createParseError(reader);
	return node;
}

interface Reader {
	readonly source: string;
	at: number;
}

function createParseError({ source, at }: Reader): ApiError {
	return new ApiError(400, `XML parsing failed at line: ${source.slice(0, at).split("\n").length}`);
}

function skipWhitespace(reader: Reader): void {
	while (/\s/.test(reader.source[reader.at] ?? "")) reader.at++;
}

function matchPattern(reader: Reader, pattern: RegExp): RegExpExecArray | null {
	const sticky = new RegExp(pattern.source, "y");
	sticky.lastIndex = reader.at;
	const found = sticky.exec(reader.source);
	if (found !== null) reader.at = sticky.lastIndex;
	return found;
}

function readElement(reader: Reader, depth: number): TreeNode {
	const open = depth > MAX_DEPTH ? null : matchPattern(reader, /<([A-Za-z][A-Za-z0-9]*)/);
	if (open === null) throw createParseError(reader);
	const cls = open[1] ?? "";
	const attributes: Record<string, string> = {};
	for (;;) {
		skipWhitespace(reader);
		const attribute = matchPattern(reader, /([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/);
		if (attribute === null) break;
		attributes[attribute[1] ?? ""] = decodeEntities(attribute[2] ?? attribute[3] ?? "");
	}
	if (matchPattern(reader, /\/>/) !== null) return { cls, attributes, children: [] };
	if (matchPattern(reader, />/) === null) throw createParseError(reader);
	const children: TreeNode[] = [];
	for (;;) {
		skipWhitespace(reader);
		const close = matchPattern(reader, /<\/([A-Za-z][A-Za-z0-9]*)\s*>/);
		if (close !== null) {
			if (close[1] !== cls) throw createParseError(reader);
			return { cls, attributes, children };
		}
		children.push(readElement(reader, depth + 1));
	}
}

function decodeEntities(text: string): string {
	return text.replace(/&(#\d+|[a-z]+);/g, (whole, name: string) =>
		name.startsWith("#") ? String.fromCodePoint(Number(name.slice(1))) : (ENTITIES[name] ?? whole),
	);
}
