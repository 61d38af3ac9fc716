/** What became of each row, from what the job's loops say of their items, or from what the job publishes. */
import type { RowStatus } from "@weft/contracts";
import type { JobEvent } from "../../../ports/automation-server.ts";

/** From the best to the worst; the worst of several tasks counts. */
export const RANKS: readonly Exclude<RowStatus, "unknown">[] = ["skipped", "ok", "changed", "unreachable", "failed"];
const rankOf = (status: Exclude<RowStatus, "unknown">): number => RANKS.indexOf(status);

export interface SheetRows {
	/** Null where there is one sheet only. */
	readonly name: string | null;
	/** As they were sent. */
	readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export interface RowResult {
	readonly sheet: string;
	readonly row_index: number;
	readonly host: string;
	readonly rank: number;
	readonly message: string;
}

/** Numbers that went through a template come back as texts: 1 and "1" are the same. */
function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
	if (typeof value === "object" && value !== null) {
		const keys = Object.keys(value).sort();
		return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join(",")}}`;
	}
	return JSON.stringify(String(value));
}

interface Place {
	readonly sheet: string;
	readonly row_index: number;
}

export interface RowMatcher {
	/** The row of a loop's item; `nth` counts the items of the loop. Null: it is none of the rows. */
	find(item: unknown, nth: number): Place | null;
}

export function createRowMatcher(sheets: readonly SheetRows[]): RowMatcher {
	const byText = new Map<string, Place[]>();
	const cells = new Map<string, Place | null>();
	for (const { name, rows } of sheets) {
		for (const [row_index, row] of rows.entries()) {
			const place = { sheet: name ?? "", row_index };
			const text = canonical(row);
			byText.set(text, [...(byText.get(text) ?? []), place]);
			// A value that only one row has stands for it, as where a loop goes over one column.
			for (const value of new Set(Object.values(row).map(canonical))) {
				cells.set(value, cells.has(value) ? null : place);
			}
		}
	}
	return {
		find(item, nth) {
			const key = typeof item === "object" && item !== null ? (item as { _row?: unknown })._row : undefined;
			if (typeof key === "number" && sheets.length === 1 && sheets[0]?.rows[key] !== undefined) {
				return { sheet: sheets[0].name ?? "", row_index: key };
			}
			const same = byText.get(canonical(item)) ?? [];
			// Of rows that are alike it is the one that is in its place.
			const exact = same.find(({ row_index }) => row_index === nth) ?? same[0];
			if (exact !== undefined) return exact;
			if (typeof item === "object" && item !== null) return null;
			return cells.get(canonical(item)) ?? null;
		},
	};
}

const MESSAGE_MAX = 2_000;

function statusOf(event: JobEvent): Exclude<RowStatus, "unknown"> {
	if (event.item?.unreachable) return "unreachable";
	if (event.event === "runner_item_on_failed" || event.failed) return "failed";
	if (event.event === "runner_item_on_skipped") return "skipped";
	return event.changed ? "changed" : "ok";
}

const CLOSING = /^runner_on_(ok|failed|skipped|unreachable)$/;
const loopKey = (event: JobEvent): string => `${event.host ?? ""}|${event.taskUuid}`;

/**
 * Results of the items among the events. `loops` counts the items of loops that are not over, and is changed.
 */
export function itemResults(
	events: readonly JobEvent[],
	matcher: RowMatcher,
	loops: Record<string, number>,
	mask: (text: string) => string,
): RowResult[] {
	const worst = new Map<string, RowResult>();
	for (const event of events) {
		if (CLOSING.test(event.event)) delete loops[loopKey(event)];
		if (!event.event.startsWith("runner_item_on_")) continue;
		const nth = loops[loopKey(event)] ?? 0;
		loops[loopKey(event)] = nth + 1;
		const place = event.item && matcher.find(event.item.value, nth);
		if (!place) continue;
		const rank = rankOf(statusOf(event));
		const host = event.host ?? "";
		const key = `${place.sheet}|${place.row_index}|${host}`;
		if ((worst.get(key)?.rank ?? -1) >= rank) continue;
		const message = mask((event.item?.message ?? "").slice(0, MESSAGE_MAX))
			.toWellFormed()
			.replaceAll("\0", "");
		worst.set(key, { ...place, host, rank, message });
	}
	return [...worst.values()];
}

/**
 * What the job itself published as `row_results`: a list of `{row | row_index | _row, status, host?, sheet?, message?}`, or
 * an object of them by row.
 */
export function publishedResults(
	artifacts: unknown,
	sheets: readonly SheetRows[],
	mask: (text: string) => string,
): RowResult[] {
	const published = (artifacts as { row_results?: unknown } | null)?.row_results;
	if (typeof published !== "object" || published === null) return [];
	const entries: [unknown, unknown][] = Array.isArray(published)
		? published.map((one) => [undefined, one])
		: Object.entries(published);
	const results: RowResult[] = [];
	for (const [key, value] of entries) {
		const one = (typeof value === "object" && value !== null ? value : { status: value }) as Record<string, unknown>;
		const index = Number(one.row_index ?? one.row ?? one._row ?? key ?? Number.NaN);
		const status = RANKS.find((name) => name === one.status);
		const sheet =
			sheets.find(({ name }) => (name ?? "") === (one.sheet ?? "")) ?? (sheets.length === 1 ? sheets[0] : undefined);
		if (status === undefined || sheet?.rows[index] === undefined) continue;
		const message = typeof one.message === "string" ? one.message.slice(0, MESSAGE_MAX) : "";
		results.push({
			sheet: sheet.name ?? "",
			row_index: index,
			host: typeof one.host === "string" ? one.host : "",
			rank: rankOf(status),
			message: mask(message).toWellFormed().replaceAll("\0", ""),
		});
	}
	return results;
}
