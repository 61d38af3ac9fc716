/** `order-by`: several keys, ranked by their types. Objects without the key come last. */
import type { Registry } from "../model/registry.ts";
import { getDn, type Mo, readValue } from "../store/mo.ts";
import type { OrderKey, Query } from "./options.ts";
import { getRank, type Rank } from "./values.ts";

/** True for one ascending DN key: the order in which the store keeps a class. */
export function isByDn(order: Query["order"]): boolean {
	return order.length === 1 && order[0]?.prop === "dn" && !order[0].descending;
}

/** Sorts; objects that compare equal keep the order they came in. */
export function sortBy(mos: readonly Mo[], order: readonly OrderKey[], registry: Registry): Mo[] {
	const rows = mos.map((mo) => ({ mo, keys: order.map((key) => getKey(mo, key, registry)) }));
	rows.sort((a, b) => {
		for (let at = 0; at < order.length; at++) {
			const difference = compareRanks(a.keys[at] ?? null, b.keys[at] ?? null, order[at]?.descending === true);
			if (difference !== 0) return difference;
		}
		return 0;
	});
	return rows.map(({ mo }) => mo);
}

function getKey(mo: Mo, key: OrderKey, registry: Registry): Rank | null {
	if (mo.shape.cls === null || !registry.isA(mo.shape.cls, key.cls)) return null;
	if (key.prop === "dn") return getDn(mo);
	if (key.prop === "rn") return mo.rn;
	const value = readValue(mo, key.prop.name);
	return value === undefined ? null : getRank(key.prop.type, value);
}

function compareRanks(a: Rank | null, b: Rank | null, descending: boolean): number {
	if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
	const difference = typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : String(a) < String(b) ? -1 : 1;
	return descending ? -difference : difference;
}
