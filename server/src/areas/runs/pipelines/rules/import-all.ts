/** Reads all requests of a script or collection, within bounds of number and answer. */
import { type ImportedRequest, REQUEST_IMPORT_LIMITS, type RequestImportInput } from "@weft/contracts";
import { getRequests } from "./import-collection.ts";
import { importGiven, importLine } from "./import-request.ts";
import { splitCommandLines } from "./import-shell.ts";

/** The results as UTF-8 JSON of a list, or why there are none. */
export type ImportOutcome =
	| { readonly ok: true; readonly results: Uint8Array }
	| { readonly ok: false; readonly field: "text" | "collection"; readonly problem: string };

const { requests: MAX_REQUESTS, items: MAX_ITEMS, answer: MAX_ANSWER } = REQUEST_IMPORT_LIMITS;

export function importAll({ text, collection }: RequestImportInput): ImportOutcome {
	if (collection === undefined) return importEach("text", splitCommandLines(text ?? ""), importLine);
	const found = getRequests(collection);
	if (found === null) {
		return refuseField("collection", "Must be a Postman collection of format 2.1: there is no item.");
	}
	if (found.items > MAX_ITEMS) {
		return refuseField("collection", `Must have at most ${MAX_ITEMS.toLocaleString("en")} items and folders.`);
	}
	return importEach("collection", found.requests, importGiven);
}

const refuseField = (field: "text" | "collection", problem: string): ImportOutcome => ({ ok: false, field, problem });

function importEach<Given>(
	field: "text" | "collection",
	given: readonly Given[],
	importOne: (one: Given) => ImportedRequest,
): ImportOutcome {
	if (given.length > MAX_REQUESTS) return refuseField(field, `Must have at most ${MAX_REQUESTS} requests.`);
	const results: Buffer[] = [];
	let bytes = 0;
	for (const one of given) {
		const result = Buffer.from(JSON.stringify(importOne(one)));
		bytes += result.length + 1;
		if (bytes > MAX_ANSWER) {
			const limit = MAX_ANSWER / 1024 ** 2;
			return refuseField(field, `The canvases take more than ${limit} MB. Import fewer requests at once.`);
		}
		results.push(result);
	}
	return { ok: true, results: joinJson(results) };
}

function joinJson(items: readonly Buffer[]): Uint8Array {
	const comma = Buffer.from(",");
	const parts = items.flatMap((item, index) => (index === 0 ? [item] : [comma, item]));
	return Buffer.concat([Buffer.from("["), ...parts, Buffer.from("]")]);
}
