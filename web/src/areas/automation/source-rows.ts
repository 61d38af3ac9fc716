/** Where the rows of a request come from: a finished run, or a comparison of two snapshots. */
import type { SnapshotChange } from "@weft/contracts";
import { pipelineRoutes, SNAPSHOT_CHANGES } from "@weft/contracts/browser";
import { matchHeads, type NamedColumn } from "@weft/contracts/spreadsheet";
import { UserError } from "../../platform/failures.ts";
import { fetchWithRetryAfter } from "../../platform/fetch-with-retry.ts";
import { client } from "../../platform/weft.ts";
import { readComparison } from "../history/comparison.ts";

/** More rows than that are given to a request by the API, as its source. */
export const MOST_ROWS = 10_000;

/** The source in an address: the id of a run, or what the page of a comparison has there. */
export interface SourceSearch {
	readonly run?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	/** One kind of change; absent: all. */
	readonly show?: string | undefined;
	readonly rules?: string | undefined;
	readonly match?: string | undefined;
	readonly reverse?: string | undefined;
}

export const hasSource = ({ run, from, to }: SourceSearch): boolean =>
	run !== undefined || (from !== undefined && to !== undefined);

type Attributes = Readonly<Record<string, unknown>>;

interface SourceRow {
	/** Empty where a step of the query has made the row. */
	readonly className: string;
	/** Null in a run. */
	readonly change: SnapshotChange | null;
	readonly attributes: Attributes;
}

/** The attributes of an object, whether it has a class or is flat. */
function getRow(object: Record<string, unknown>, change: SnapshotChange | null): SourceRow {
	const [className = "", ...others] = Object.keys(object);
	const inner = (object[className] as { attributes?: unknown } | null | undefined)?.attributes;
	return others.length === 0 && typeof inner === "object" && inner !== null
		? { className, change, attributes: inner as Attributes }
		: { className: "", change, attributes: object };
}

export async function readRunRows(runId: string, signal: AbortSignal): Promise<SourceRow[]> {
	const { url, headers } = await client.getRequest(pipelineRoutes.results, {
		params: { id: runId },
		query: { export: "ndjson" },
	});
	const answer = await fetchWithRetryAfter(url, { headers, signal });
	if (!answer.ok) throw new UserError(`The rows of the run could not be read: the service answered ${answer.status}.`);
	const lines = (await answer.text()).split("\n").filter((line) => line !== "");
	if (lines.length > MOST_ROWS) throw new UserError(`The run has more than ${MOST_ROWS} rows. Filter it first.`);
	return lines.map((line) => getRow(JSON.parse(line), null));
}

/** In the direction that the comparison's page shows: a modified object has the values of `to`. */
export async function readComparisonRows(source: SourceSearch, signal: AbortSignal): Promise<SourceRow[]> {
	const { from, to, rules, match, reverse } = source;
	const { diff } = await readComparison({ from, to, rules, match, reverse }, signal);
	return [
		...diff.added.map(({ object }) => getRow(object, "added")),
		...diff.modified.map(({ after }) => getRow(after, "modified")),
		...diff.deleted.map(({ object }) => getRow(object, "deleted")),
	];
}

/** The kinds of change that an address asks for; of a comparison, all but the deleted ones. */
export const getChanges = (show: string | undefined): SnapshotChange[] =>
	SNAPSHOT_CHANGES.filter((kind) => (show === undefined ? kind !== "deleted" : kind === show));

export const attributeNames = (rows: readonly SourceRow[]): string[] =>
	[...new Set(rows.flatMap(({ attributes }) => Object.keys(attributes)))].sort();

/** The attribute of the column's name or label, whatever its case; empty for none. */
export const guessAttribute = (column: NamedColumn, names: readonly string[]): string =>
	names[matchHeads(names, [column]).indexOf(0)] ?? "";
