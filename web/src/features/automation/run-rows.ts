/** Rows of a finished run as columns of a template. */
import { pipelineRoutes } from "@weft/contracts";
import { client } from "../../platform/weft.ts";
import type { Column } from "./grid-model.ts";

/** More rows than that are given to a request by the API, as its source. */
const MOST_RUN_ROWS = 10_000;

export type Attributes = Readonly<Record<string, unknown>>;

/** The attributes of each row, whether it is an object of a class or flat. */
export async function readRunRows(runId: string): Promise<Attributes[]> {
	const { url, headers } = await client.requestOf(pipelineRoutes.results, {
		params: { id: runId },
		query: { export: "ndjson" },
	});
	const answer = await fetch(url, { headers });
	if (!answer.ok) throw new Error(`The rows of the run could not be read: the service answered ${answer.status}.`);
	const lines = (await answer.text()).split("\n").filter((line) => line !== "");
	if (lines.length > MOST_RUN_ROWS) throw new Error(`The run has more than ${MOST_RUN_ROWS} rows. Filter it first.`);
	return lines.map((line) => attributesOf(JSON.parse(line)));
}

function attributesOf(row: Record<string, unknown>): Attributes {
	const [only, ...others] = Object.values(row);
	const inner = (only as { attributes?: unknown } | null | undefined)?.attributes;
	return others.length === 0 && typeof inner === "object" && inner !== null ? (inner as Attributes) : row;
}

/** The attribute for each column: of the same name, whatever its case; empty for none. */
export function guessMapping(columns: readonly Column[], rows: readonly Attributes[]): Record<string, string> {
	const names = [...new Set(rows.slice(0, 100).flatMap((row) => Object.keys(row)))];
	return Object.fromEntries(
		columns.map(({ name }) => [name, names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? ""]),
	);
}
