/**
 * What became of each row, from what the job's loops say of their items, or from what the job
 * publishes.
 */
import { ROW_STATUSES, type RowCounts, type RowStatus } from "@weft/contracts";
import type { Mask } from "../../../../core/mask.ts";
import type { ItemResult, JobEvent } from "../../../../integrations/awx/port.ts";
import { formatStoredText } from "./masked-words.ts";
import type { LoopState, RowMatcher } from "./matching.ts";
import type { RowPlace, SheetRows } from "./row-index.ts";

/** From the best to the worst; the worst of several tasks counts. */
export const RANKS: readonly Exclude<RowStatus, "unknown" | "censored">[] = [
	"skipped",
	"ok",
	"changed",
	"unreachable",
	"failed",
];
type KnownStatus = (typeof RANKS)[number];
const getRank = (status: KnownStatus): number => RANKS.indexOf(status);

/**
 * Counts the rows of a finished job by their result.
 * @param total number of rows of the request; rows without a result are unknown, or censored if the
 * job hides items of loops
 */
export function countRowStatuses(
	total: number,
	hidden: number,
	byRank: readonly { readonly rank: number; readonly count: number }[],
): RowCounts {
	const counts = Object.fromEntries(ROW_STATUSES.map((status) => [status, 0])) as RowCounts;
	let found = 0;
	for (const { rank, count } of byRank) {
		counts[RANKS[rank] ?? "unknown"] += count;
		found += count;
	}
	counts[hidden > 0 ? "censored" : "unknown"] += Math.max(0, total - found);
	return counts;
}

/** The rank from which on a row failed. */
export const FAILED_FROM = getRank("unreachable");
/** Rank of a row that was passed on to tasks whose results do not name it: below every result. */
const PASSED_ON = -1;
const PASSED_ON_TO: Readonly<Record<NonNullable<ItemResult["passedOn"]>, string>> = {
	included: "The row was handed to an included file or role, whose tasks do not name it in their results.",
	started: "A task of the row was started in the background; the job did not report its end.",
};

export interface RowResult extends RowPlace {
	/** Empty where it is not known. */
	readonly host: string;
	/** Place in `RANKS`; below 0 where nothing is known yet but what the message says. */
	readonly rank: number;
	readonly message: string;
}

function getStatus(event: JobEvent): KnownStatus | null {
	if (event.item?.unreachable) return "unreachable";
	if (event.event === "runner_item_on_failed" || event.failed) return "failed";
	if (event.event === "runner_item_on_skipped") return "skipped";
	if (event.item?.passedOn) return null;
	return event.changed ? "changed" : "ok";
}

/** Keeps the worst of the results of each row on each host. */
function findWorst(results: Iterable<RowResult>): RowResult[] {
	const worst = new Map<string, RowResult>();
	for (const result of results) {
		const key = JSON.stringify([result.sheet, result.row_index, result.host]);
		const known = worst.get(key);
		if (known === undefined || known.rank < result.rank) worst.set(key, result);
	}
	return [...worst.values()];
}

/** The result of an item that names its row only if its whole loop goes over one column. */
export interface ColumnResult extends Omit<RowResult, "sheet"> {
	/** Counter of the first event of the loop. */
	readonly loop_first: number;
}

export interface ItemResults {
	readonly rows: readonly RowResult[];
	readonly columns: readonly ColumnResult[];
	/** Loops that ended, by their first event; `sheet`: that of their column, null for others. */
	readonly endedLoops: readonly { readonly loop_first: number; readonly sheet: string | null }[];
	/** Loops that are not over, by host and task. */
	readonly openLoops: Readonly<Record<string, LoopState>>;
}

const CLOSING = /^runner_on_(ok|failed|skipped|unreachable)$/;
const loopKey = (event: JobEvent): string => `${event.host ?? ""}|${event.taskUuid}`;

/** Results of the items among the events, which follow those after which `openLoops` were open. */
export function readItemResults(
	events: readonly JobEvent[],
	matcher: RowMatcher,
	openLoops: Readonly<Record<string, LoopState>>,
	mask: Mask,
): ItemResults {
	const rows: RowResult[] = [];
	const columns: ColumnResult[] = [];
	const endedLoops: { loop_first: number; sheet: string | null }[] = [];
	const open = new Map(Object.entries(openLoops));
	for (const event of events) {
		const key = loopKey(event);
		const before = open.get(key);
		if (CLOSING.test(event.event) && before !== undefined) {
			endedLoops.push({ loop_first: before.first, sheet: matcher.findColumnSheet(before) });
			open.delete(key);
		}
		if (!event.event.startsWith("runner_item_on_")) continue;
		const { item } = event;
		const value = item === undefined || item.hidden ? undefined : item.value;
		const loop = matcher.advanceLoop(before, event.counter, value);
		open.set(key, loop);
		if (item === undefined || value === undefined) continue;
		const places = matcher.findRows(value, loop);
		const columnRow = places.length === 0 ? matcher.findColumnRow(loop) : null;
		if (places.length === 0 && columnRow === null) continue;
		const status = getStatus(event);
		const result = {
			host: formatStoredText(event.host ?? "", mask),
			rank: status === null ? PASSED_ON : getRank(status),
			message: formatStoredText(status === null && item.passedOn ? PASSED_ON_TO[item.passedOn] : item.message, mask),
		};
		for (const place of places) rows.push({ ...place, ...result });
		if (columnRow !== null) columns.push({ loop_first: loop.first, row_index: columnRow, ...result });
	}
	return { rows: findWorst(rows), columns, endedLoops, openLoops: Object.fromEntries(open) };
}

/**
 * What the job, or the jobs of its nodes, published as `row_results`: a list of `{row | row_index |
 * _row, status, host?, sheet?, message?}`, or an object of them by row. Of several results of one
 * row on one host the worst counts, as where each host of a play publishes its own.
 */
export function readPublishedResults(
	artifacts: readonly unknown[],
	sheets: readonly SheetRows[],
	mask: Mask,
): RowResult[] {
	const entries = artifacts.flatMap((one): [unknown, unknown][] => {
		const published = (one as { row_results?: unknown } | null)?.row_results;
		if (typeof published !== "object" || published === null) return [];
		return Array.isArray(published) ? published.map((entry) => [undefined, entry]) : Object.entries(published);
	});
	const results: RowResult[] = [];
	for (const [key, value] of entries) {
		const one = (typeof value === "object" && value !== null ? value : { status: value }) as Record<string, unknown>;
		const index = getIndex(one.row_index ?? one.row ?? one._row ?? key);
		const status = RANKS.find((name) => name === one.status);
		const sheet =
			sheets.find(({ name }) => (name ?? "") === (one.sheet ?? "")) ?? (sheets.length === 1 ? sheets[0] : undefined);
		if (status === undefined || sheet?.rows[index] === undefined) continue;
		results.push({
			sheet: sheet.name ?? "",
			row_index: index,
			host: typeof one.host === "string" ? formatStoredText(one.host, mask) : "",
			rank: getRank(status),
			message: formatStoredText(typeof one.message === "string" ? one.message : "", mask),
		});
	}
	return findWorst(results);
}

/** The index of a row; templates make texts of numbers. -1 for other values. */
const getIndex = (value: unknown): number =>
	typeof value === "number" || (typeof value === "string" && /^\d{1,9}$/.test(value)) ? Number(value) : -1;
