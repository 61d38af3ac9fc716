/**
 * What a class is connected to: containment, inheritance and relations, with what its super classes
 * bring.
 */
import type { Model } from "./model.ts";

export interface Link {
	readonly id: number;
	/** The super class that brings it; -1 where the class's own document, or the other's, says so. */
	readonly by: number;
}

interface Association extends Link {
	readonly direction: "to" | "from";
	readonly via: number;
}

/** The class itself, then its super classes from the nearest on. */
function listLineage(model: Model, id: number, inherited: boolean): number[] {
	return inherited ? [id, ...model.supers(id)] : [id];
}

function collectLinks(model: Model, id: number, inherited: boolean, of: (id: number) => Uint32Array): Link[] {
	const seen = new Set<number>();
	const found: Link[] = [];
	for (const owner of listLineage(model, id, inherited)) {
		for (const other of of(owner)) {
			if (seen.has(other)) continue;
			seen.add(other);
			found.push({ id: other, by: owner === id ? -1 : owner });
		}
	}
	return found;
}

export const listContainers = (model: Model, id: number, inherited: boolean): Link[] =>
	collectLinks(model, id, inherited, model.containers);

export const isContainedIn = (model: Model, id: number, inherited: boolean): Link[] =>
	collectLinks(model, id, inherited, model.contains);

export function getAssociations(model: Model, id: number, inherited: boolean): Association[] {
	const seen = new Set<string>();
	const found: Association[] = [];
	const sides = [
		["to", model.to, model.toVia],
		["from", model.from, model.fromVia],
	] as const;
	for (const [direction, ends, vias] of sides) {
		for (const owner of listLineage(model, id, inherited)) {
			const via = vias(owner);
			for (const [i, other] of ends(owner).entries()) {
				const key = `${direction}${via[i]}:${other}`;
				if (seen.has(key)) continue;
				seen.add(key);
				found.push({ id: other, direction, via: via[i] ?? 0, by: owner === id ? -1 : owner });
			}
		}
	}
	return found;
}

/**
 * Whether objects of one class can stand directly under objects of another: as the documents say,
 * or for a super class of either.
 */
export function mayContain(model: Model, parent: number, child: number): "direct" | "inherited" | null {
	if (hasId(model.contains(parent), child)) return "direct";
	const children = [child, ...model.supers(child)];
	for (const above of [parent, ...model.supers(parent)]) {
		const contained = model.contains(above);
		if (children.some((below) => hasId(contained, below))) return "inherited";
	}
	return null;
}

/** In an ascending list. */
function hasId(list: Uint32Array, wanted: number): boolean {
	let [low, high] = [0, list.length - 1];
	while (low <= high) {
		const middle = (low + high) >>> 1;
		const found = list[middle] ?? 0;
		if (found === wanted) return true;
		if (found < wanted) low = middle + 1;
		else high = middle - 1;
	}
	return false;
}
