/**
 * A query's objects, each once and none missing, although the fabric changes while its pages are read.
 *
 * Pages are cut anew for every request: an object that appears or goes shifts all behind it, so that one at the edge of a page is read twice or
 * never. A reading is exact when every page announced the same count and as many different objects came. Otherwise the query is read a second
 * time with other page edges, and what the first reading did not have is delivered late. An object that was there all the time is then missing only
 * if both readings lost it at two different edges; what came or went meanwhile may be in or out. When the two together have
 * fewer objects than announced, the read fails: an incomplete set is never passed off as a complete one.
 */

import { ControllerError, type ControllerObject, type ControllerPage } from "../../ports/controller.ts";
import type { Objects } from "./objects.ts";
import { type ScanOptions, type Slice, scan } from "./scan.ts";

/** The golden ratio keeps the edges of the second reading away from those of the first. */
const SECOND_SIZE = 0.618;

export async function* readPages(options: ScanOptions): AsyncGenerator<ControllerPage> {
	const ledger = createLedger(options.query.sparse, options.limit);
	let index = 0;
	let delivered = 0;

	function page({ objects, totalCount, raw, whole }: Slice, places: Places, late: boolean): ControllerPage {
		const rowCount = Math.min(countOf(objects, places), options.limit - delivered);
		delivered += rowCount;
		index += 1;
		function rows(): readonly ControllerObject[] {
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
				return rows();
			},
			first: (count) => (places === null ? objects.first(Math.min(count, rowCount)) : rows().slice(0, count)),
			totalCount,
			raw: whole && rowCount === objects.count ? raw : null,
			late,
		};
	}

	for await (const slice of scan(options)) {
		const places = ledger.first(slice);
		if (countOf(slice.objects, places) > 0 || index === 0) yield page(slice, places, false);
		if (delivered >= options.limit) return;
	}
	if (ledger.exact()) return;
	ledger.startAgain();
	const pageSize = Math.max(1, Math.round(Math.min(options.pageSize, options.limit) * SECOND_SIZE));
	for await (const slice of scan({ ...options, pageSize })) {
		const places = ledger.second(slice);
		if (countOf(slice.objects, places) > 0) yield page(slice, places, true);
		if (delivered >= options.limit) return;
	}
	ledger.settle();
}

/** Where in a slice the objects are that were not seen before; null: everywhere. */
type Places = readonly number[] | null;

const countOf = (objects: Objects, places: Places): number => places?.length ?? objects.count;

function createLedger(sparse: boolean, limit: number) {
	const names = createNames();
	let slices = 0;
	let rows = 0;
	let nameless = 0;
	let announced: number | null = null;
	let steady = true;
	/** Rows of the first slice, entered when a second one comes: most answers have one page and need no ledger. */
	let pending: Objects | null = null;

	function note(slice: Slice) {
		slices += 1;
		if (slice.totalCount === null) return;
		if (announced !== null && announced !== slice.totalCount) steady = false;
		announced = slice.totalCount;
	}

	function fresh(objects: Objects): Places {
		let places: number[] | null = null;
		for (const [at, dn] of objects.dns().entries()) {
			if (!dn) nameless += 1;
			if (dn && !names.add(dn)) places ??= Array.from({ length: at }, (_, before) => before);
			else places?.push(at);
		}
		rows += countOf(objects, places);
		return places;
	}

	return {
		first(slice: Slice): Places {
			note(slice);
			if (slices === 1) {
				pending = slice.objects;
				rows = slice.objects.count;
				return null;
			}
			if (pending) {
				rows = 0;
				fresh(pending);
				pending = null;
			}
			return fresh(slice.objects);
		},
		exact(): boolean {
			return sparse || announced === null || (steady && rows >= Math.min(announced, limit)) || slices === 1;
		},
		startAgain() {
			if (nameless > 0) throw unstable(rows, announced);
			announced = null;
			steady = true;
		},
		second(slice: Slice): Places {
			note(slice);
			return fresh(slice.objects);
		},
		settle() {
			if (nameless > 0 || (announced !== null && rows < Math.min(announced, limit))) throw unstable(rows, announced);
		},
	};
}

/** A set of dns. As long as they come in rising order, as they normally do, no two can be equal and a list does. */
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

function unstable(rows: number, announced: number | null): ControllerError {
	const message = `The objects changed while they were read: after a second reading ${rows} different ones of ${announced ?? "an unknown number"} were found. Try again, or narrow the query.`;
	return new ControllerError("unstable", message, { retryable: true });
}
