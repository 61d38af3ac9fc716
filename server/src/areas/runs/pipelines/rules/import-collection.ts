/** The requests of a Postman collection, format 2.0 and 2.1. */
import { REQUEST_IMPORT_LIMITS } from "@weft/contracts";
import { type GivenRequest, NAME_MAX } from "./import-request.ts";

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value);
const getText = (value: unknown): string => (typeof value === "string" ? value : "");

export interface CollectionRequests {
	readonly requests: readonly GivenRequest[];
	/** Items and folders; those after the maximum are not read. */
	readonly items: number;
}

/**
 * Null for an object that is no collection. Folders are part of the names, which are cut at each
 * level. Reads at most one item more than REQUEST_IMPORT_LIMITS allows.
 */
export function getRequests(collection: Fields): CollectionRequests | null {
	if (!Array.isArray(collection.item)) return null;
	const found: GivenRequest[] = [];
	const open: { items: readonly unknown[]; folder: string }[] = [{ items: collection.item, folder: "" }];
	let count = 0;
	for (let next = open.pop(); next !== undefined; next = open.pop()) {
		const { items, folder } = next;
		for (const item of items) {
			count += 1;
			if (count > REQUEST_IMPORT_LIMITS.items) return { requests: found, items: count };
			if (!isRecord(item)) continue;
			const name = (folder + getText(item.name)).slice(0, NAME_MAX).toWellFormed();
			if (Array.isArray(item.item)) open.push({ items: item.item, folder: `${name} / ` });
			const request = typeof item.request === "string" ? { url: item.request } : item.request;
			if (!isRecord(request)) continue;
			const source = getUrl(request.url);
			const method = getText(request.method).toUpperCase() || "GET";
			if (source !== "") found.push({ name, source, method });
		}
	}
	return { requests: found, items: count };
}

function getUrl(url: unknown): string {
	if (!isRecord(url)) return getText(url);
	if (getText(url.raw) !== "") return getText(url.raw);
	const path = Array.isArray(url.path) ? url.path.map(getText).join("/") : getText(url.path);
	const query = (Array.isArray(url.query) ? url.query : [])
		.filter(isRecord)
		.filter(({ disabled }) => disabled !== true);
	const options = query.map(({ key, value }) => `${getText(key)}=${getText(value)}`).join("&");
	return `/${path.replace(/^\//, "")}${options === "" ? "" : `?${options}`}`;
}
