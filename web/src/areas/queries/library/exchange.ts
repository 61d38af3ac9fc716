/** Queries as a file that another installation can read. */
import { queryExchangeRoutes } from "@weft/contracts/browser";
import { type AnswerOf, callRoute } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { saveFile } from "../../../platform/save-file.ts";

export async function exportQueries(): Promise<void> {
	const document = await callRoute(queryExchangeRoutes.export, { query: {} });
	saveFile("weft-queries.json", "application/json", JSON.stringify(document, null, 2));
}

/** @returns what became of the queries of an exported file, in a sentence. */
export async function importFile(file: File): Promise<string> {
	const document = readJson(await file.text());
	if (document === undefined)
		return `"${file.name}" holds no queries. Choose a file that "Export my queries" has saved.`;
	const { results } = await callRoute(queryExchangeRoutes.import, { body: { document, on_conflict: "rename" } });
	const bad = results.filter(({ status }) => status === "invalid");
	const good = results.length - bad.length;
	return bad.length === 0
		? `${formatPlural(good, "query", "queries")} imported`
		: `${formatPlural(good, "query", "queries")} imported; ${formatPlural(bad.length, "one", "others")} not: ` +
				`${bad.map(({ name }) => name ?? "unnamed").join(", ")}`;
}

/** The value of a JSON text; undefined if the text is no JSON. */
function readJson(text: string): AnswerOf<typeof queryExchangeRoutes.export> | undefined {
	try {
		// The service checks what the value holds.
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
