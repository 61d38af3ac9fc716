/** Request bodies: JSON or XML trees of objects. Like the real parser, strict about order. */
import { ApiError } from "../errors.ts";
import type { Format, TreeNode } from "../tree.ts";
import { parseXml } from "./xml.ts";

/** Trees deeper than any containment path are refused. */
const MAX_DEPTH = 40;

const sortAttributesFirst = () =>
	new ApiError(
		400,
		"invalid data at line '1'. Attributes are missing, tag 'attributes' must be specified first, before any other tag",
	);

/**
 * The trees of a body: one object, or an answer with its envelope, whose objects are posted again.
 *
 * @throws ApiError 400 with the parser's texts
 */
export function parseBody(format: Format, text: string): TreeNode[] {
	if (format === "xml") {
		const node = parseXml(text);
		return node.cls === "imdata" ? [...(node.children ?? [])] : [node];
	}
	const value = parseJson(text);
	const listed = isRecord(value) && Array.isArray(value.imdata) ? value.imdata : [value];
	return listed.map((item) => readNode(item, 0));
}

export function readLogin(format: Format, text: string): { readonly name: string; readonly password: string } {
	const [node] = parseBody(format, text);
	if (node?.cls !== "aaaUser") throw new ApiError(400, `unknown managed object class ${node?.cls ?? ""}`);
	return { name: node.attributes.name ?? "", password: node.attributes.pwd ?? "" };
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
		const line = text.slice(0, position === undefined ? text.length : Number(position)).split("\n").length;
		throw new ApiError(400, `JSON parsing failed - incomplete attribute value at line: ${line}`);
	}
}

function readNode(value: unknown, depth: number): TreeNode {
	if (depth > MAX_DEPTH) throw new ApiError(400, "Request failed, the tree is too deep");
	const entries = isRecord(value) ? Object.entries(value) : [];
	const [cls, body] = entries[0] ?? [];
	if (entries.length !== 1 || cls === undefined || !isRecord(body)) throw sortAttributesFirst();
	const { attributes, children } = body;
	// Not only must attributes be there: they must come before the children.
	if (Object.keys(body)[0] !== "attributes" || !isRecord(attributes)) throw sortAttributesFirst();
	const list = children === undefined ? [] : children;
	if (!Array.isArray(list)) throw new ApiError(400, "invalid data at line '1'. Children must be a list");
	return {
		cls,
		attributes: Object.fromEntries(Object.entries(attributes).map(([name, item]) => [name, readScalar(item)])),
		children: list.map((child) => readNode(child, depth + 1)),
	};
}

function readScalar(value: unknown): string {
	if (typeof value === "string") return value;
	if (typeof value === "number" || typeof value === "boolean") return String(value);
	throw new ApiError(400, "JSON parsing failed - incomplete attribute value at line: 1");
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
