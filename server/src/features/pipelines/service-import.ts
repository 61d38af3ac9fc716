/** Turns requests to a controller into canvases. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { type ImportedRequest, REQUEST_IMPORT_LIMITS, type RequestImportInput } from "@weft/contracts";
import { invalidField } from "../../platform/errors.ts";
import { requestsOf } from "./domain/import-collection.ts";
import { importGiven, importLine } from "./domain/import-request.ts";
import { commandLines } from "./domain/import-shell.ts";

/** Requests that are read before others get a turn. */
const READ_AT_ONCE = 20;
const MOST = REQUEST_IMPORT_LIMITS.requests;

/** @throws AppError 400 under `text` or `collection` */
export async function importRequests({
	text,
	collection,
}: RequestImportInput): Promise<{ results: ImportedRequest[] }> {
	if (collection === undefined) return { results: await readAll("text", commandLines(text ?? ""), importLine) };
	const requests = requestsOf(collection, MOST);
	if (requests === null)
		throw invalidField("collection", "Must be a Postman collection of format 2.1: there is no item.");
	return { results: await readAll("collection", requests, importGiven) };
}

async function readAll<T>(field: string, given: readonly T[], read: (one: T) => ImportedRequest) {
	if (given.length > MOST) throw invalidField(field, `Must have at most ${MOST} requests.`);
	const results: ImportedRequest[] = [];
	for (const one of given) {
		results.push(read(one));
		if (results.length % READ_AT_ONCE === 0) await nextEventLoopTurn();
	}
	return results;
}
