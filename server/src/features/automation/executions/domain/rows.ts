/**
 * What became of each row, from what the job's loops say of their items, or from what the job
 * publishes.
 */
import type { RowStatus } from "@weft/contracts";
import type { Mask } from "../../../../platform/mask.ts";
import type { ItemResult, JobEvent } from "../../../../ports/automation-server.ts";
import type { RowMatcher, RowPlace, SheetRows } from "./matching.ts";
import { storedWords } from "./words.ts";

/** From the best to the worst; the worst of several tasks counts. */
export const RANKS: readonly Exclude<RowStatus, "unknown" | "censored">[] = [
	"skipped",
	"ok",
	"changed",
	"unreachable",
	"failed",
];
type KnownStatus = (typeof RANKS)[number];
const rankOf = (status: KnownStatus): number => RANKS.indexOf(status);
/** Of a row that was passed on to tasks whose results do not name it: below every result. */
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

function statusOf(event: JobEvent): KnownStatus | null {
	if (event.item?.unreachable) return "unreachable";
	if (event.event === "runner_item_on_failed" || event.failed) return "failed";
	if (event.event === "runner_item_on_skipped") return "skipped";
	if (event.item?.passedOn) return null;
	return event.changed ? "changed" : "ok";
}

/** Keeps the worst of the results of each row on each host. */
function worstOf(results: Iterable<RowResult>): RowResult[] {
	const worst = new Map<string, RowResult>();
	for (const result of results) {
		const key = JSON.stringify([result.sheet, result.row_index, result.host]);
		const known = worst.get(key);
		if (known === undefined || known.rank < result.rank) worst.set(key, result);
	}
	return [...worst.values()];
}

const CLOSING = /^runner_on_(ok|failed|skipped|unreachable)$/;
const loopKey = (event: JobEvent): string => `${event.host ?? ""}|${event.taskUuid}`;

/**
 * Results of the items among the events. `loops` counts the items of loops that are not over, and
 * is changed.
 */
export function itemResults(
	events: readonly JobEvent[],
	matcher: RowMatcher,
	loops: Record<string, number>,
	mask: Mask,
): RowResult[] {
	const results: RowResult[] = [];
	for (const event of events) {
		if (CLOSING.test(event.event)) delete loops[loopKey(event)];
		if (!event.event.startsWith("runner_item_on_")) continue;
		const nth = loops[loopKey(event)] ?? 0;
		loops[loopKey(event)] = nth + 1;
		const { item } = event;
		if (item === undefined || item.hidden) continue;
		const places = matcher.find(item.value, nth);
		if (places.length === 0) continue;
		const status = statusOf(event);
		const rank = status === null ? PASSED_ON : rankOf(status);
		const message = storedWords(status === null && item.passedOn ? PASSED_ON_TO[item.passedOn] : item.message, mask);
		for (const place of places) results.push({ ...place, host: storedWords(event.host ?? "", mask), rank, message });
	}
	return worstOf(results);
}

/**
 * What the job, or the jobs of its nodes, published as `row_results`: a list of `{row | row_index |
 * _row, status, host?, sheet?, message?}`, or an object of them by row. Of several results of one
 * row on one host the worst counts, as where each host of a play publishes its own.
 */
export function publishedResults(artifacts: readonly unknown[], sheets: readonly SheetRows[], mask: Mask): RowResult[] {
	const entries = artifacts.flatMap((one): [unknown, unknown][] => {
		const published = (one as { row_results?: unknown } | null)?.row_results;
		if (typeof published !== "object" || published === null) return [];
		return Array.isArray(published) ? published.map((entry) => [undefined, entry]) : Object.entries(published);
	});
	const results: RowResult[] = [];
	for (const [key, value] of entries) {
		const one = (typeof value === "object" && value !== null ? value : { status: value }) as Record<string, unknown>;
		const index = indexOf(one.row_index ?? one.row ?? one._row ?? key);
		const status = RANKS.find((name) => name === one.status);
		const sheet =
			sheets.find(({ name }) => (name ?? "") === (one.sheet ?? "")) ?? (sheets.length === 1 ? sheets[0] : undefined);
		if (status === undefined || sheet?.rows[index] === undefined) continue;
		results.push({
			sheet: sheet.name ?? "",
			row_index: index,
			host: typeof one.host === "string" ? storedWords(one.host, mask) : "",
			rank: rankOf(status),
			message: storedWords(typeof one.message === "string" ? one.message : "", mask),
		});
	}
	return worstOf(results);
}

/** The index of a row; templates make texts of numbers. -1 for other values. */
const indexOf = (value: unknown): number =>
	typeof value === "number" || (typeof value === "string" && /^\d{1,9}$/.test(value)) ? Number(value) : -1;
