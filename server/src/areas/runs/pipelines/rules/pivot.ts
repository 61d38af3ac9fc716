/** What several connections have under each value of one property, and where they differ. */
import type { PivotEntry } from "@weft/contracts";
import { isIdentityAttribute } from "../../../../core/rows/identity-attributes.ts";
import { listAttributes, type Row, readValuesAt } from "../../../../core/rows/rows.ts";

export interface PivotSource {
	readonly connection: string;
	/** The rows in pages; may be iterated several times. */
	readonly pages: Iterable<readonly Row[]>;
}

export interface PivotPage {
	/** Keys in all. */
	readonly count: number;
	readonly entries: readonly PivotEntry[];
}

/** Distinct keys, and bytes of their text. */
const KEYS_MAX = 250_000;
const KEY_BYTES_MAX = 32 * 1024 * 1024;
/** Rows of one connection under one key. */
const ROWS_PER_KEY_MAX = 50;

export const PIVOT_ERROR = "pivot_refused";

/** The rows cannot be shown by this property. The caller reads the message. */
class PivotRefused extends Error {
	override readonly name = "PivotRefused";
	readonly code = PIVOT_ERROR;
}

/** When an object was last written differs everywhere, and says nothing about its configuration. */
const UNCOMPARED = new Set(["modTs"]);

const getText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The value of the key; empty where the row has none. */
function getKey(row: Row, property: string): string {
	const [value] = readValuesAt(row, property);
	return value === undefined || value === null ? "" : getText(value);
}

export interface PivotRange {
	readonly from: number;
	readonly count: number;
	/** Whether attributes that name an object inside one fabric are left out of the differences. */
	readonly withoutIds: boolean;
}

/**
 * One entry for each value of `property`, ordered by value; those from the `from`-th on, at most
 * `count`. Reads all rows twice: for the keys, and for the attributes of the entries of the page.
 * @throws PivotRefused
 */
export function pivotRows(
	sources: readonly PivotSource[],
	property: string,
	{ from, count, withoutIds }: PivotRange,
): PivotPage {
	const keys = collectKeys(sources, property);
	const ordered = [...keys.keys()].sort();
	const page = ordered.slice(from, from + count);
	const rows = collectRows(sources, property, page, withoutIds);
	const entries = page.map((key) => {
		const has = (_source: PivotSource, at: number) => keys.get(key)?.has(at) === true;
		return {
			key,
			connections: sources.filter(has).map(({ connection }) => connection),
			missing: sources.filter((source, at) => !has(source, at)).map(({ connection }) => connection),
			differing: findDifferences(rows.get(key) ?? new Map(), property),
		};
	});
	return { count: ordered.length, entries };
}

/** The places of the sources that have each key. */
function collectKeys(sources: readonly PivotSource[], property: string): Map<string, Set<number>> {
	const keys = new Map<string, Set<number>>();
	/** Most keys are on the same connections: equal sets are shared. */
	const sets = new Map<string, Set<number>>();
	let bytes = 0;
	let isKnown = false;
	let isEmpty = true;
	for (const [at, source] of sources.entries()) {
		for (const rows of source.pages) {
			for (const row of rows) {
				isEmpty = false;
				const key = getKey(row, property);
				isKnown ||= key !== "";
				const held = keys.get(key);
				if (held?.has(at)) continue;
				if (held === undefined) bytes += key.length;
				const places = [...(held ?? []), at];
				const name = places.join();
				const shared = sets.get(name) ?? new Set(places);
				sets.set(name, shared);
				keys.set(key, shared);
				if (keys.size > KEYS_MAX || bytes > KEY_BYTES_MAX) {
					throw new PivotRefused(
						`The property "${property}" has more than ${KEYS_MAX.toLocaleString("en")} values. Narrow the query with a filter.`,
					);
				}
			}
		}
	}
	if (!isEmpty && !isKnown) throw new PivotRefused(`No row has the property "${property}".`);
	return keys;
}

type RowsByConnection = Map<string, Record<string, unknown>[]>;

function collectRows(
	sources: readonly PivotSource[],
	property: string,
	keys: readonly string[],
	withoutIds: boolean,
): Map<string, RowsByConnection> {
	const wanted = new Map<string, RowsByConnection>(keys.map((key) => [key, new Map()]));
	if (keys.length === 0) return wanted;
	for (const { connection, pages } of sources) {
		for (const rows of pages) {
			for (const row of rows) {
				const key = getKey(row, property);
				const held = wanted.get(key);
				if (held === undefined) continue;
				const own = held.get(connection) ?? [];
				own.push(withoutIds ? listAttributesWithoutIds(row) : listAttributes(row));
				held.set(connection, own);
				if (own.length > ROWS_PER_KEY_MAX) {
					throw new PivotRefused(
						`More than ${ROWS_PER_KEY_MAX} rows of "${connection}" have the value "${key.slice(0, 100)}" of ` +
							`"${property}". Choose a property that tells rows apart, such as dn.`,
					);
				}
			}
		}
	}
	return wanted;
}

function listAttributesWithoutIds(row: Row): Record<string, unknown> {
	const [className = ""] = Object.keys(row);
	return Object.fromEntries(
		Object.entries(listAttributes(row)).filter(([name]) => !isIdentityAttribute(className, name)),
	);
}

/** The attributes whose values are not the same on all connections that have the key. */
function findDifferences(rows: RowsByConnection, property: string): PivotEntry["differing"] {
	if (rows.size < 2) return {};
	const own = property.slice(property.lastIndexOf(".") + 1);
	const names = new Set([...rows.values()].flat().flatMap((row) => Object.keys(row)));
	const differing: [string, Record<string, unknown>][] = [];
	for (const name of names) {
		if (name === own || UNCOMPARED.has(name)) continue;
		const values = [...rows].map(([connection, list]) => [connection, getComparedValue(list, name)] as const);
		if (new Set(values.map(([, value]) => JSON.stringify(value))).size > 1) {
			differing.push([name, Object.fromEntries(values)]);
		}
	}
	return Object.fromEntries(differing);
}

/** The value of an attribute, null where it is absent; of several rows their sorted values. */
function getComparedValue(rows: readonly Record<string, unknown>[], name: string): unknown {
	const values = rows.map((row) => (Object.hasOwn(row, name) ? row[name] : null));
	if (values.length === 1) return values[0];
	return values.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
