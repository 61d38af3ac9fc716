/** The post-processor `calculate`: percentages, free parts of ranges, and networks that overlap. */
import type { PostProcessorConfig } from "@weft/contracts";
import { readNetwork } from "../../../../../core/ip-networks.ts";
import { readTextsAt } from "../../../../../core/rows/conditions.ts";
import { type Row, readValuesAt } from "../../../../../core/rows/rows.ts";
import { computeValueRoom, limitValue } from "./bounds.ts";
import { withValue } from "./values.ts";

type Config = PostProcessorConfig<"calculate">;
type ConfigOf<O extends Config["operation"]> = Extract<Config, { operation: O }>;

/** Other rows that an overlap names; the rest is a number behind them. */
const NAMES = 20;

export const createCalculation = (config: ConfigOf<"percent" | "free">): ((row: Row) => Row[]) =>
	config.operation === "percent" ? (row) => [writePercent(row, config)] : (row) => [writeFreeRanges(row, config)];

/** With one decimal place. A row without both numbers, or with a whole of 0, stays as it is. */
function writePercent(row: Row, { field, of, target }: ConfigOf<"percent">): Row {
	const [part, whole] = [readNumber(row, field), readNumber(row, of)];
	if (part === null || whole === null || whole === 0) return row;
	return withValue(row, target, Math.round((part / whole) * 1_000) / 10);
}

function readNumber(row: Row, field: string): number | null {
	const [text = ""] = readTextsAt(row, field);
	const number = text.trim() === "" ? Number.NaN : Number(text);
	return Number.isFinite(number) ? number : null;
}

/** The first and the last number. */
type Range = readonly [from: number, to: number];

/** Reads `vlan-10`, `10` and `10-19`; null for any other text. */
function readRange(text: string): Range | null {
	const [, from, to = from] = /^(?:vx?lan-)?(\d{1,8})(?:-(\d{1,8}))?$/.exec(text) ?? [];
	return from === undefined ? null : [Number(from), Number(to)];
}

function writeFreeRanges(row: Row, config: ConfigOf<"free">): Row {
	const [from] = readRange(readTextsAt(row, config.from)[0] ?? "") ?? [];
	const [to] = readRange(readTextsAt(row, config.to)[0] ?? "") ?? [];
	if (from === undefined || to === undefined || from > to) return row;
	const texts = config.used.flatMap((field) => readTextsAt(row, field)).flatMap((text) => text.split(/[,\s]+/));
	const used = mergeRanges(texts.flatMap((text) => clipRange(readRange(text), [from, to])));
	const free = listGaps(used, [from, to]);
	const written = withValue(row, config.target, formatRanges(free));
	const count = free.reduce((sum, range) => sum + range[1] - range[0] + 1, 0);
	const counted = config.countTarget === undefined ? written : withValue(written, config.countTarget, count);
	return config.usedTarget === undefined ? counted : withValue(counted, config.usedTarget, formatRanges(used));
}

function clipRange(range: Range | null, [from, to]: Range): Range[] {
	if (range === null) return [];
	const clipped: Range = [Math.max(range[0], from), Math.min(range[1], to)];
	return clipped[0] <= clipped[1] ? [clipped] : [];
}

/** In order, and those that touch as one. */
function mergeRanges(ranges: readonly Range[]): Range[] {
	const merged: Range[] = [];
	for (const range of ranges.toSorted((a, b) => a[0] - b[0])) {
		const last = merged.at(-1);
		if (last === undefined || range[0] > last[1] + 1) merged.push(range);
		else merged.splice(-1, 1, [last[0], Math.max(last[1], range[1])]);
	}
	return merged;
}

/** @param used merged ranges within the whole */
function listGaps(used: readonly Range[], [from, to]: Range): Range[] {
	const starts = [from, ...used.map((range) => range[1] + 1)];
	const ends = [...used.map((range) => range[0] - 1), to];
	return starts.flatMap((start, i): Range[] => {
		const end = ends[i] ?? to;
		return start <= end ? [[start, end]] : [];
	});
}

const formatRanges = (ranges: readonly Range[]): string =>
	limitValue(ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", "), computeValueRoom(""));

/** A row with its network. */
interface Placed {
	/** Place among all rows. */
	readonly at: number;
	readonly first: bigint;
	readonly last: bigint;
}

/**
 * Each row with the names of the rows of its group whose network contains its own, is equal, or
 * lies in it; an empty text where there are none.
 */
export function createOverlap({ field, groupBy, show, target }: ConfigOf<"overlap">): (rows: readonly Row[]) => Row[] {
	return (rows) => {
		const groups = new Map<string, Placed[]>();
		for (const [at, row] of rows.entries()) {
			const network = readNetwork(readTextsAt(row, field)[0] ?? "");
			if (network === null) continue;
			const host = BigInt(network.bits - network.length);
			const first = (network.value >> host) << host;
			const key = JSON.stringify([network.bits, ...groupBy.map((one) => readValuesAt(row, one))]);
			const group = groups.get(key) ?? [];
			groups.set(key, group);
			group.push({ at, first, last: first + (1n << host) - 1n });
		}
		const names = (at: number): string => readTextsAt(rows[at] ?? {}, show)[0] ?? "";
		const found = new Map<number, string>();
		for (const group of groups.values())
			for (const [at, others] of findOverlaps(group)) found.set(at, formatOthers(others, names));
		return rows.map((row, at) => withValue(row, target, found.get(at) ?? ""));
	};
}

interface Others {
	/** The first ones, by place. */
	readonly named: number[];
	readonly count: number;
}

/** Networks contain each other or have nothing in common, so that those within one follow it. */
function findOverlaps(group: readonly Placed[]): Map<number, Others> {
	const sorted = group.toSorted((a, b) => {
		if (a.first !== b.first) return a.first < b.first ? -1 : 1;
		return a.last === b.last ? 0 : a.last > b.last ? -1 : 1;
	});
	const found = new Map<number, Others>();
	const ends = findEnds(sorted);
	const open: number[] = [];
	for (const [i, { at, first }] of sorted.entries()) {
		while (open.length > 0 && (sorted[open.at(-1) ?? 0]?.last ?? 0n) < first) open.pop();
		const within = (ends[i] ?? i) - i;
		const nearest = [
			...open.slice(-NAMES).reverse(),
			...Array.from({ length: Math.min(within, NAMES) }, (_, k) => i + k + 1),
		];
		const named = nearest.slice(0, NAMES).flatMap((index) => sorted[index]?.at ?? []);
		if (named.length > 0) found.set(at, { named, count: open.length + within });
		open.push(i);
	}
	return found;
}

/** For each network the index of the last one that lies within it. */
function findEnds(sorted: readonly Placed[]): number[] {
	const ends = sorted.map((_, i) => i);
	const open: number[] = [];
	const close = (before: bigint | null, until: number): void => {
		for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
			if (before !== null && (sorted[top]?.last ?? 0n) >= before) return;
			ends[top] = until;
			open.pop();
		}
	};
	for (const [i, { first }] of sorted.entries()) {
		close(first, i - 1);
		open.push(i);
	}
	close(null, sorted.length - 1);
	return ends;
}

function formatOthers({ named, count }: Others, getName: (at: number) => string): string {
	const more = count - named.length;
	return [...named.map(getName), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
