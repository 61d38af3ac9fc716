/** Where the rows of a request come from: a finished run, or a comparison of two snapshots. */
import {
	type CompareAnswer,
	pipelineRoutes,
	SNAPSHOT_CHANGES,
	type SnapshotChange,
	timeMachineRoutes,
} from "@weft/contracts";
import { matchHeads, type NamedColumn } from "@weft/contracts/spreadsheet";
import { send } from "../../platform/call.ts";
import { client } from "../../platform/weft.ts";

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
}

export const hasSource = ({ run, from, to }: SourceSearch): boolean =>
	run !== undefined || (from !== undefined && to !== undefined);

type Attributes = Readonly<Record<string, unknown>>;

export interface SourceRow {
	/** Empty where a step of the query has made the row. */
	readonly className: string;
	/** Null in a run. */
	readonly change: SnapshotChange | null;
	readonly attributes: Attributes;
}

/** The attributes of an object, whether it has a class or is flat. */
function rowOf(object: Record<string, unknown>, change: SnapshotChange | null): SourceRow {
	const [className = "", ...others] = Object.keys(object);
	const inner = (object[className] as { attributes?: unknown } | null | undefined)?.attributes;
	return others.length === 0 && typeof inner === "object" && inner !== null
		? { className, change, attributes: inner as Attributes }
		: { className: "", change, attributes: object };
}

export async function readRunRows(runId: string, signal: AbortSignal): Promise<SourceRow[]> {
	const { url, headers } = await client.requestOf(pipelineRoutes.results, {
		params: { id: runId },
		query: { export: "ndjson" },
	});
	const answer = await fetch(url, { headers, signal });
	if (!answer.ok) throw new Error(`The rows of the run could not be read: the service answered ${answer.status}.`);
	const lines = (await answer.text()).split("\n").filter((line) => line !== "");
	if (lines.length > MOST_ROWS) throw new Error(`The run has more than ${MOST_ROWS} rows. Filter it first.`);
	return lines.map((line) => rowOf(JSON.parse(line), null));
}

/** A modified object has its new values, a deleted one its last. */
export async function readComparisonRows(
	{ from = "", to = "", rules, match }: SourceSearch,
	signal: AbortSignal,
): Promise<SourceRow[]> {
	const body = { snapshot_from_id: from, snapshot_to_id: to, ...(match === "name" ? { match: "name" as const } : {}) };
	const query = rules === "query" ? { rules: "query" as const } : {};
	const { diff } = (await send(timeMachineRoutes.compare, { body, query }, signal)) as CompareAnswer;
	return [
		...diff.added.map(({ object }) => rowOf(object, "added")),
		...diff.modified.map(({ after }) => rowOf(after, "modified")),
		...diff.deleted.map(({ object }) => rowOf(object, "deleted")),
	];
}

/** The kinds of change that an address asks for; of a comparison, all but the deleted ones. */
export const changesOf = (show: string | undefined): SnapshotChange[] =>
	SNAPSHOT_CHANGES.filter((kind) => (show === undefined ? kind !== "deleted" : kind === show));

export const attributeNames = (rows: readonly SourceRow[]): string[] =>
	[...new Set(rows.flatMap(({ attributes }) => Object.keys(attributes)))].sort();

/** The attribute of the column's name or label, whatever its case; empty for none. */
export const guessAttribute = (column: NamedColumn, names: readonly string[]): string =>
	names[matchHeads(names, [column]).indexOf(0)] ?? "";
