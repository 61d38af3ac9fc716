/** Answers that are not stored objects (logins, domains, errors), and how trees are written. */
import type { ResultNode } from "./query/nest.ts";
import type { Answer } from "./query/run.ts";
import { listAttributes, openText, type Projection, type TextCache } from "./store/text.ts";

export type Format = "json" | "xml";

export interface TreeNode {
	readonly cls: string;
	readonly attributes: Readonly<Record<string, string>>;
	readonly children?: readonly TreeNode[];
}

export interface Envelope {
	/** `null` leaves `totalCount` out, as some releases do. */
	readonly total: number | null;
	readonly subscriptionId: string | null;
}

/** The envelope around items that are already text. */
export function formatEnvelope(format: Format, { total, subscriptionId }: Envelope, items: readonly string[]): string {
	if (format === "json") {
		const count = total === null ? "" : `"totalCount":"${total}",`;
		const id = subscriptionId === null ? "" : `"subscriptionId":"${subscriptionId}",`;
		return `{${count}${id}"imdata":[${items.join(",")}]}`;
	}
	const count = total === null ? "" : ` totalCount="${total}"`;
	const id = subscriptionId === null ? "" : ` subscriptionId="${subscriptionId}"`;
	return `<?xml version="1.0" encoding="UTF-8"?><imdata${count}${id}>${items.join("")}</imdata>`;
}

export function writeTree(format: Format, node: TreeNode): string {
	return format === "json"
		? buildJsonTree(node)
		: buildXmlElement(
				node.cls,
				Object.entries(node.attributes),
				(node.children ?? []).map((child) => writeTree("xml", child)),
			);
}

function buildJsonTree(node: TreeNode): string {
	const children =
		node.children === undefined || node.children.length === 0
			? ""
			: `,"children":[${node.children.map(buildJsonTree).join(",")}]`;
	return `{"${node.cls}":{"attributes":${JSON.stringify(node.attributes)}${children}}}`;
}

/** The results of a query as text. Plain top-level results come from the cache. */
export function writeAnswer(format: Format, answer: Answer, projection: Projection, cache: TextCache): string[] {
	if (format === "xml") return answer.nodes.map((node) => buildXmlNode(node, projection));
	return answer.nodes.map((node) =>
		node.children === null && projection === "all" ? cache.text(node.mo) : buildJsonNode(node, projection),
	);
}

function buildJsonNode(node: ResultNode, projection: Projection): string {
	const open = openText(node.mo, node.place, projection);
	return node.children === null
		? `${open}}}`
		: `${open},"children":[${node.children.map((child) => buildJsonNode(child, projection)).join(",")}]}}`;
}

function buildXmlNode(node: ResultNode, projection: Projection): string {
	const attributes = listAttributes(node.mo, node.place, projection);
	return buildXmlElement(
		node.mo.shape.cls?.name ?? "",
		attributes,
		(node.children ?? []).map((child) => buildXmlNode(child, projection)),
	);
}

function buildXmlElement(
	name: string,
	attributes: readonly (readonly [string, string])[],
	children: readonly string[],
): string {
	const open = `<${name}${attributes.map(([key, value]) => ` ${key}="${escapeXml(value)}"`).join("")}`;
	return children.length === 0 ? `${open}/>` : `${open}>${children.join("")}</${name}>`;
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"\n": "&#10;",
	"\r": "&#13;",
	"\t": "&#9;",
};

function escapeXml(text: string): string {
	return text.replace(/[&<>"\n\r\t]/g, (char) => XML_ESCAPES[char] ?? char);
}
