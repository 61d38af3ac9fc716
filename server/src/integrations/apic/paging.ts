/**
 * A query's objects, each once and none missing, although the fabric changes while its pages are
 * read.
 *
 * Pages are cut anew for every request: an object that appears or goes shifts all behind it, so
 * that one at the edge of a page is read twice or never. A reading is exact when every page
 * announced the same count and as many different objects came. Otherwise the query is read a second
 * time with other page edges, and what the first reading did not have is delivered late. An object
 * that was there all the time is then missing only if both readings lost it at two different edges;
 * what came or went meanwhile may be in or out. When the two together have fewer objects than
 * announced, the read fails: an incomplete set is never passed off as a complete one. Some classes
 * really have several objects of one dn: if both readings found the same ones repeated as often,
 * and with them as many as announced, the repeated ones are delivered late.
 */

import type { Objects } from "./objects.ts";
import type { ControllerObject, ControllerPage } from "./port.ts";
import { ControllerError } from "./port-error.ts";
import { type ScanOptions, type Slice, scanSlices } from "./scan.ts";

/** Repeated objects that are kept until it is known that they are no artefact of a change. */
const MOST_REPEATED = 20_000;
/** The golden ratio keeps the edges of the second reading away from those of the first. */
const SECOND_SIZE = 0.618;

export async function* readPages(options: ScanOptions): AsyncGenerator<ControllerPage> {
	const ledger = createLedger(options.query.sparse, options.limit);
	let index = 0;
	let delivered = 0;

	function buildPage({ objects, totalCount, raw, whole }: Slice, places: Places, late: boolean): ControllerPage {
		const rowCount = Math.min(getCount(objects, places), options.limit - delivered);
		delivered += rowCount;
		index += 1;
		function getRows(): readonly ControllerObject[] {
			const all = objects.rows();
			if (rowCount === all.length) return all;
			return places === null
				? all.slice(0, rowCount)
				: places.slice(0, rowCount).map((at) => all[at] as ControllerObject);
		}
		return {
			index: index - 1,
			rowCount,
			className: objects.className,
			get rows() {
				return getRows();
			},
			first: (count) => (places === null ? objects.first(Math.min(count, rowCount)) : getRows().slice(0, count)),
			totalCount,
			raw: whole && rowCount === objects.count ? raw : null,
			late,
		};
	}

	for await (const slice of scanSlices(options)) {
		const places = ledger.first(slice);
		if (getCount(slice.objects, places) > 0 || index === 0) yield buildPage(slice, places, false);
		if (delivered >= options.limit) return;
	}
	if (ledger.exact()) return;
	ledger.startAgain();
	const pageSize = Math.max(1, Math.round(Math.min(options.pageSize, options.limit) * SECOND_SIZE));
	for await (const slice of scanSlices({ ...options, pageSize })) {
		const places = ledger.second(slice);
		if (getCount(slice.objects, places) > 0) yield buildPage(slice, places, true);
		if (delivered >= options.limit) return;
	}
	const repeated = ledger.settle().slice(0, options.limit - delivered);
	if (repeated.length === 0) return;
	const classes = new Set(repeated.map(({ className }) => className));
	yield {
		index,
		rowCount: repeated.length,
		className: classes.size === 1 ? (repeated[0]?.className ?? null) : null,
		rows: repeated.map(({ row }) => row),
		first: (count) => repeated.slice(0, count).map(({ row }) => row),
		totalCount: null,
		raw: null,
		late: true,
	};
}

/** An object whose dn the same reading had before. */
interface Repeated {
	readonly dn: string;
	readonly row: ControllerObject;
	readonly className: string | null;
}

/** Where in a slice the objects are that were not seen before; null: everywhere. */
type Places = readonly number[] | null;

const getCount = (objects: Objects, places: Places): number => places?.length ?? objects.count;

/** Slices of one reading: the names that were delivered, and the repeated ones that are held. */
interface LedgerState {
	readonly limit: number;
	readonly names: ReturnType<typeof createNames>;
	/** The second reading's own. */
	readonly again: ReturnType<typeof createNames>;
	/** How often each dn came again in a reading. */
	readonly repeats: { first: Map<string, number>; second: Map<string, number> };
	/** The repeats of the first slice, which was delivered whole. */
	delivered: ReadonlyMap<string, number>;
	readonly held: Repeated[];
	secondRows: number;
	slices: number;
	rows: number;
	nameless: number;
	announced: number | null;
	steady: boolean;
	/**
	 * Rows of the first slice, entered when a second one comes: most answers have one page and need
	 * no ledger.
	 */
	pending: Objects | null;
}

function recordSlice(ledger: LedgerState, slice: Slice) {
	ledger.slices += 1;
	if (slice.totalCount === null) return;
	if (ledger.announced !== null && ledger.announced !== slice.totalCount) ledger.steady = false;
	ledger.announced = slice.totalCount;
}

/** Keeps the objects whose dn this reading had before. */
function holdRepeated(ledger: LedgerState, objects: Objects): void {
	ledger.secondRows += objects.count;
	let all: readonly ControllerObject[] | null = null;
	for (const [at, dn] of objects.dns().entries()) {
		if (!dn || ledger.again.add(dn)) continue;
		countDn(ledger.repeats.second, dn);
		if (ledger.held.length >= MOST_REPEATED) continue;
		all ??= objects.rows();
		ledger.held.push({ dn, row: all[at] as ControllerObject, className: objects.className });
	}
}

/** Whether both readings found the same objects repeated, and with them as many as announced. */
function isRepeating(ledger: LedgerState): boolean {
	const wanted = Math.min(ledger.announced ?? 0, ledger.limit);
	const extra = [...ledger.repeats.second.values()].reduce((sum, times) => sum + times, 0);
	if (!ledger.steady || ledger.held.length !== extra || ledger.secondRows < wanted || ledger.rows + extra < wanted)
		return false;
	if (ledger.repeats.first.size !== ledger.repeats.second.size) return false;
	return [...ledger.repeats.first].every(([dn, times]) => ledger.repeats.second.get(dn) === times);
}

function findFreshPlaces(ledger: LedgerState, objects: Objects, reading: "first" | "second"): Places {
	let places: number[] | null = null;
	for (const [at, dn] of objects.dns().entries()) {
		if (!dn) ledger.nameless += 1;
		if (dn && !ledger.names.add(dn)) {
			places ??= Array.from({ length: at }, (_, before) => before);
			if (reading === "first") countDn(ledger.repeats.first, dn);
		} else places?.push(at);
	}
	ledger.rows += getCount(objects, places);
	return places;
}

function recordFirstPass(ledger: LedgerState, slice: Slice): Places {
	recordSlice(ledger, slice);
	if (ledger.slices === 1) {
		ledger.pending = slice.objects;
		ledger.rows = slice.objects.count;
		return null;
	}
	if (ledger.pending) {
		ledger.rows = 0;
		findFreshPlaces(ledger, ledger.pending, "first");
		ledger.delivered = new Map(ledger.repeats.first);
		ledger.pending = null;
	}
	return findFreshPlaces(ledger, slice.objects, "first");
}

function startSecondPass(ledger: LedgerState) {
	if (ledger.nameless > 0) throw buildUnstableError(ledger.rows, ledger.announced);
	ledger.announced = null;
	ledger.steady = true;
}

function recordSecondPass(ledger: LedgerState, slice: Slice): Places {
	recordSlice(ledger, slice);
	holdRepeated(ledger, slice.objects);
	return findFreshPlaces(ledger, slice.objects, "second");
}

/** Gives the objects that really repeat and were not delivered yet. */
function settleLedger(ledger: LedgerState): readonly Repeated[] {
	if (ledger.nameless > 0) throw buildUnstableError(ledger.rows, ledger.announced);
	if (ledger.announced === null || ledger.rows >= Math.min(ledger.announced, ledger.limit)) return [];
	if (!isRepeating(ledger)) throw buildUnstableError(ledger.rows, ledger.announced);
	const left = new Map(ledger.delivered);
	return ledger.held.filter(({ dn }) => {
		const times = left.get(dn) ?? 0;
		if (times > 0) left.set(dn, times - 1);
		return times === 0;
	});
}

function createLedger(sparse: boolean, limit: number) {
	const ledger: LedgerState = {
		limit,
		names: createNames(),
		again: createNames(),
		repeats: { first: new Map<string, number>(), second: new Map<string, number>() },
		delivered: new Map(),
		held: [],
		secondRows: 0,
		slices: 0,
		rows: 0,
		nameless: 0,
		announced: null,
		steady: true,
		pending: null,
	};

	return {
		first: (slice: Slice) => recordFirstPass(ledger, slice),
		exact(): boolean {
			return (
				sparse ||
				ledger.announced === null ||
				(ledger.steady && ledger.rows >= Math.min(ledger.announced, limit)) ||
				ledger.slices === 1
			);
		},
		startAgain: () => startSecondPass(ledger),
		second: (slice: Slice) => recordSecondPass(ledger, slice),
		settle: () => settleLedger(ledger),
	};
}

function countDn(times: Map<string, number>, dn: string): void {
	times.set(dn, (times.get(dn) ?? 0) + 1);
}

/**
 * A set of dns. As long as they come in rising order, as they normally do, no two can be equal and
 * a list does.
 */
function createNames() {
	const risen: string[] = [];
	let last = "";
	let set: Set<string> | null = null;
	return {
		/** False when it is there already. */
		add(dn: string): boolean {
			if (!set) {
				if (dn > last) {
					last = dn;
					risen.push(dn);
					return true;
				}
				set = new Set(risen);
				risen.length = 0;
			}
			const before = set.size;
			set.add(dn);
			return set.size > before;
		},
	};
}

function buildUnstableError(rows: number, announced: number | null): ControllerError {
	const message = `The objects changed while they were read: after a second reading ${rows} different ones of ${announced ?? "an unknown number"} were found. Try again, or narrow the query.`;
	return new ControllerError("unstable", message, { retryable: true });
}
