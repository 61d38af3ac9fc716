/**
 * Compares two snapshots by the names of their objects (see name-match.ts). A name that one object
 * of each side has pairs them. Objects that share a name on one side are paired in three steps:
 * equal contents, then equal dns, then the order of dns. A surplus is added or deleted.
 */
import { type ComparePlan, type Objects, PLACE, planOfChanges } from "./compare.ts";

/** Changes of which those of a group may still be paired with each other. */
export interface NamesPlan {
	/** In the order of names. Changes of a group have one side each, those of `from` first. */
	readonly plan: ComparePlan;
	/** The group of each change; -1 for a change that is final. */
	readonly groups: Int32Array;
	/** The rank of each change's dn. */
	readonly dns: Int32Array;
}

/**
 * @param nameNumbers the rank of the name of each rank of a dn, ascending
 */
export function planNames(from: Objects, to: Objects, nameNumbers: Int32Array): NamesPlan {
	const pairs: [number, number][] = [];
	const groups: number[] = [];
	const dns: number[] = [];
	function addPair(before: number, after: number, group: number): void {
		pairs.push([before, after]);
		groups.push(group);
		dns.push((before < 0 ? to.keys[after] : from.keys[before]) as number);
	}
	const nameAt = (keys: Int32Array, at: number): number =>
		at < keys.length ? (nameNumbers[keys[at] as number] as number) : Number.POSITIVE_INFINITY;
	let a = 0;
	let b = 0;
	while (a < from.keys.length || b < to.keys.length) {
		const name = Math.min(nameAt(from.keys, a), nameAt(to.keys, b));
		const before: number[] = [];
		const after: number[] = [];
		for (; nameAt(from.keys, a) === name; a++) before.push(a);
		for (; nameAt(to.keys, b) === name; b++) after.push(b);
		const left = dropEqual(from, before, to, after);
		const [one, other] = [left.before[0], left.after[0]];
		if (left.before.length === 1 && left.after.length === 1) addPair(one as number, other as number, -1);
		else {
			const group = left.before.length > 0 && left.after.length > 0 ? name : -1;
			for (const at of left.before) addPair(at, -1, group);
			for (const at of left.after) addPair(-1, at, group);
		}
	}
	return { plan: planOfChanges(from, to, pairs), groups: Int32Array.from(groups), dns: Int32Array.from(dns) };
}

/** The objects of one name without those that both sides have, equal in dn and contents. */
function dropEqual(from: Objects, before: readonly number[], to: Objects, after: readonly number[]) {
	const left: { before: number[]; after: number[] } = { before: [], after: [] };
	let b = 0;
	for (const a of before) {
		while (b < after.length && compareObjects(from, a, to, after[b] as number) > 0)
			left.after.push(after[b++] as number);
		if (b < after.length && compareObjects(from, a, to, after[b] as number) === 0) b++;
		else left.before.push(a);
	}
	for (; b < after.length; b++) left.after.push(after[b] as number);
	return left;
}

/** Objects are sorted by dn, then by contents. */
const compareObjects = (from: Objects, a: number, to: Objects, b: number): number =>
	(from.keys[a] as number) - (to.keys[b] as number) || from.compareHash(a, to, b);

/** Indexes of the changes whose contents decide about pairs. */
export function openChanges({ groups }: Pick<NamesPlan, "groups">): number[] {
	return Array.from(groups.keys()).filter((change) => groups[change] !== -1);
}

/**
 * Pairs the changes of each group. Returns the pairs of places: both indexes for a modified object,
 * one and -1 for an added or deleted one. Pairs of equal contents are left out.
 * @param contents of the open changes by index: equal texts for equal contents
 */
export function pairChanges(
	{ plan, groups, dns }: NamesPlan,
	contents: ReadonlyMap<number, string>,
): [number, number][] {
	const pairs: [number, number][] = [];
	for (let at = 0; at < groups.length; ) {
		const group = groups[at] as number;
		if (group === -1) {
			pairs.push([at, at]);
			at++;
			continue;
		}
		let before: number[] = [];
		let after: number[] = [];
		for (; groups[at] === group; at++) ((plan.places[at * 2 * PLACE] as number) < 0 ? after : before).push(at);
		({ before, after } = pairBy(before, after, (change) => contents.get(change) ?? change, null));
		({ before, after } = pairBy(before, after, (change) => dns[change] ?? change, pairs));
		for (let one = 0; one < Math.max(before.length, after.length); one++)
			pairs.push([before[one] ?? -1, after[one] ?? -1]);
	}
	return pairs;
}

/** Takes out pairs with equal values and adds them to `pairs`, if there are any. */
function pairBy(
	before: readonly number[],
	after: readonly number[],
	getText: (change: number) => string | number,
	pairs: [number, number][] | null,
): { before: number[]; after: number[] } {
	const open = new Map<string | number, number[]>();
	for (const change of after) {
		const value = getText(change);
		const same = open.get(value);
		if (same === undefined) open.set(value, [change]);
		else same.push(change);
	}
	for (const same of open.values()) same.reverse();
	const paired = new Set<number>();
	const left = before.filter((change) => {
		const other = open.get(getText(change))?.pop();
		if (other === undefined) return true;
		paired.add(other);
		pairs?.push([change, other]);
		return false;
	});
	return { before: left, after: after.filter((change) => !paired.has(change)) };
}
