/** Replies in the format the path asks for. */
import { buildHtmlPage } from "../http/html.ts";
import type { Reply } from "../http/reply.ts";
import { type Format, formatEnvelope, writeTree } from "../tree.ts";

export function getType(format: Format): Reply["type"] {
	return format === "json" ? "application/json" : "text/xml";
}

export function buildErrorReply(format: Format, status: number, code: string, text: string): Reply {
	const item = writeTree(format, { cls: "error", attributes: { code, text } });
	return { status, type: getType(format), body: formatEnvelope(format, { total: 1, subscriptionId: null }, [item]) };
}

export function buildHtmlReply(status: number): Reply {
	return { status, type: "text/html", body: buildHtmlPage(status) };
}
