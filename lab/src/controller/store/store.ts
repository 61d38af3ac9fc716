/** The object tree with indexes by parent and RN (hence by DN) and by class. */
import { splitDn, withoutBrackets } from "../dn.ts";
import type { ClassInfo } from "../model/types.ts";
import { getDn, type Mo, makeMo, PLACEHOLDER, type Shape, setValues, walkTree } from "./mo.ts";

/** Children beyond this many get an index by RN; below it a scan is quicker. */
const INDEX_FROM = 12;

interface ClassList {
	items: Mo[];
	/** Objects in the list that no longer exist; dropped when the list is next read. */
	gone: number;
	/** The revision at which `items` were put in DN order. */
	sortedAt: number;
	/** Grows with each creation and deletion: the DN order stays good while it stands still. */
	revision: number;
}

export interface Store {
	/** The object or placeholder at a DN; undefined for a missing or malformed DN. */
	find(dn: string): Mo | undefined;
	/**
	 * The same for a DN of a client, in which brackets around values may be missing or too many. Slow
	 * where nothing is found: it compares all children.
	 */
	locate(dn: string): Mo | undefined;
	/** The visible object at a DN. */
	get(dn: string): Mo | undefined;
	/** Adds an object. Creates placeholders for missing ancestors; fills a placeholder at its DN. */
	add(parent: Mo | null, shape: Shape, rn: string, values: string[]): Mo;
	/** Gives an object all its attributes anew; its class may change with them. */
	replace(mo: Mo, shape: Shape, values: string[]): Mo;
	/** The object or placeholder at the DN, made when missing. */
	reach(rns: readonly string[]): Mo;
	child(parent: Mo | null, rn: string): Mo | undefined;
	/** Sets attributes; returns those that changed. */
	change(mo: Mo, values: Iterable<readonly [string, string]>): Map<string, string>;
	/** Removes an object and all below it; returns the visible objects removed, parents first. */
	remove(mo: Mo): Mo[];
	ofClass(name: string): readonly Mo[];
	/** The same in DN order; sorted on the first call after a creation. */
	ofClassByDn(name: string): readonly Mo[];
	roots(): Iterable<Mo>;
	/** Grows with every change of anything. */
	revision(): number;
	/** Visible objects. */
	size(): number;
}

/** The tree of objects, with an index of children and a list by class. */
interface TreeState {
	readonly roots: Map<string, Mo>;
	readonly indexes: Map<Mo, Map<string, Mo>>;
	readonly lists: Map<string, ClassList>;
	size: number;
	revision: number;
}

function findChild(tree: TreeState, parent: Mo | null, rn: string): Mo | undefined {
	if (parent === null) return tree.roots.get(rn);
	if (parent.kids === null) return undefined;
	if (parent.kids.length < INDEX_FROM) return parent.kids.find((kid) => kid.rn === rn);
	let index = tree.indexes.get(parent);
	if (index === undefined) {
		index = new Map(parent.kids.map((kid) => [kid.rn, kid]));
		tree.indexes.set(parent, index);
	}
	return index.get(rn);
}

function linkObject(tree: TreeState, mo: Mo): void {
	if (mo.parent === null) {
		tree.roots.set(mo.rn, mo);
		return;
	}
	if (mo.parent.kids === null) mo.parent.kids = [mo];
	else mo.parent.kids.push(mo);
	tree.indexes.get(mo.parent)?.set(mo.rn, mo);
}

function getClassList(tree: TreeState, cls: ClassInfo): ClassList {
	let found = tree.lists.get(cls.name);
	if (found === undefined) {
		found = { items: [], gone: 0, sortedAt: 0, revision: 0 };
		tree.lists.set(cls.name, found);
	}
	return found;
}

function addToClass(tree: TreeState, mo: Mo): void {
	if (mo.shape.cls === null) return;
	const into = getClassList(tree, mo.shape.cls);
	into.items.push(mo);
	into.revision++;
	tree.size++;
}

function removeFromClass(tree: TreeState, mo: Mo): void {
	if (mo.shape.cls === null) return;
	const from = getClassList(tree, mo.shape.cls);
	from.items = from.items.filter((item) => item !== mo);
	from.revision++;
	tree.size--;
}

function findObject(
	tree: TreeState,
	dn: string,
	otherwise?: (parent: Mo | undefined, rn: string) => Mo | undefined,
): Mo | undefined {
	const rns = splitDn(dn);
	if (rns === null || rns.length === 0) return undefined;
	let at: Mo | undefined;
	for (const rn of rns) {
		at = findChild(tree, at ?? null, rn) ?? otherwise?.(at, rn);
		if (at === undefined) return undefined;
	}
	return at;
}

/** The child whose RN differs in brackets only. */
function findByBareName(parent: Mo | undefined, rn: string): Mo | undefined {
	const bare = withoutBrackets(rn);
	return parent?.kids?.find((kid) => kid.rn.length !== rn.length && withoutBrackets(kid.rn) === bare);
}

function addObject(tree: TreeState, parent: Mo | null, shape: Shape, rn: string, values: string[]): Mo {
	tree.revision++;
	const existing = findChild(tree, parent, rn);
	if (existing !== undefined) {
		existing.shape = shape;
		existing.values = values;
		existing.text = null;
		addToClass(tree, existing);
		return existing;
	}
	const mo = makeMo(shape, parent, rn, values);
	linkObject(tree, mo);
	addToClass(tree, mo);
	return mo;
}

function listClass(tree: TreeState, name: string): readonly Mo[] {
	const found = tree.lists.get(name);
	if (found === undefined) return [];
	if (found.gone > 0) {
		found.items = found.items.filter((mo) => !mo.gone);
		found.gone = 0;
	}
	return found.items;
}

function replaceObject(tree: TreeState, mo: Mo, shape: Shape, values: string[]): Mo {
	removeFromClass(tree, mo);
	mo.shape = shape;
	mo.values = values;
	mo.text = null;
	addToClass(tree, mo);
	tree.revision++;
	return mo;
}

function reachObject(tree: TreeState, rns: readonly string[]): Mo {
	let at: Mo | null = null;
	for (const rn of rns) at = findChild(tree, at, rn) ?? addObject(tree, at, PLACEHOLDER, rn, []);
	if (at === null) throw new Error("the empty DN names nothing");
	return at;
}

function changeObject(tree: TreeState, mo: Mo, values: Iterable<readonly [string, string]>): Map<string, string> {
	const changed = setValues(mo, values);
	if (changed.size > 0) tree.revision++;
	return changed;
}

function removeSubtree(tree: TreeState, mo: Mo): Mo[] {
	const removed: Mo[] = [];
	walkTree(mo, (below) => {
		tree.indexes.delete(below);
		below.gone = true;
		if (below.shape.cls === null) return undefined;
		removed.push(below);
		const from = getClassList(tree, below.shape.cls);
		from.gone++;
		from.revision++;
		tree.size--;
		return undefined;
	});
	if (mo.parent === null) tree.roots.delete(mo.rn);
	else {
		mo.parent.kids = (mo.parent.kids ?? []).filter((kid) => kid !== mo);
		tree.indexes.get(mo.parent)?.delete(mo.rn);
	}
	tree.revision++;
	return removed;
}

function listClassByDn(tree: TreeState, name: string): readonly Mo[] {
	const items = listClass(tree, name);
	const found = tree.lists.get(name);
	if (found === undefined || found.sortedAt === found.revision) return items;
	found.items = sortByDn(items);
	found.sortedAt = found.revision;
	return found.items;
}

export function createStore(): Store {
	const roots = new Map<string, Mo>();
	const tree: TreeState = { roots, indexes: new Map(), lists: new Map(), size: 0, revision: 0 };

	return {
		find: (dn) => findObject(tree, dn),
		locate: (dn) => findObject(tree, dn, findByBareName),
		get(dn) {
			const mo = findObject(tree, dn);
			return mo === undefined || mo.shape.cls === null ? undefined : mo;
		},
		add: (parent, shape, rn, values) => addObject(tree, parent, shape, rn, values),
		replace: (mo, shape, values) => replaceObject(tree, mo, shape, values),
		reach: (rns) => reachObject(tree, rns),
		child: (parent, rn) => findChild(tree, parent, rn),
		change: (mo, values) => changeObject(tree, mo, values),
		remove: (mo) => removeSubtree(tree, mo),
		ofClass: (name) => listClass(tree, name),
		ofClassByDn: (name) => listClassByDn(tree, name),
		roots: () => roots.values(),
		revision: () => tree.revision,
		size: () => tree.size,
	};
}

/**
 * Sorts by DN in code unit order. A nearly sorted list costs one comparison per object.
 */
function sortByDn(items: readonly Mo[]): Mo[] {
	return items
		.map((mo) => ({ mo, dn: getDn(mo) }))
		.sort((a, b) => (a.dn < b.dn ? -1 : 1))
		.map(({ mo }) => mo);
}
