/**
 * The tree of objects as classes: its top, levels, and the way to a class. Classes without a
 * document are not part of it.
 */
import { flag } from "./flags.ts";
import type { Model } from "./model.ts";

const TOP = "topRoot";

/**
 * What a class may contain, by name. @param common with the classes that stand under nearly every
 * one
 */
export function listChildren(model: Model, id: number, common: boolean): number[] {
	return Array.from(model.contains(id)).filter((child) => isShown(model, child, common));
}

const isShown = (model: Model, id: number, common: boolean): boolean =>
	model.is(id, flag.published) && (common || !model.is(id, flag.common));

/**
 * The first level: what the top root contains; without one, the classes that no published class
 * contains.
 */
export function listTopLevel(model: Model, common: boolean): number[] {
	const top = model.find(TOP);
	if (top >= 0 && model.is(top, flag.published)) return listChildren(model, top, common);
	const found: number[] = [];
	for (let id = 0; id < model.count; id++) {
		if (!isShown(model, id, common) || model.is(id, flag.abstract)) continue;
		if (!model.containers(id).some((parent) => parent !== id && model.is(parent, flag.published))) found.push(id);
	}
	return found;
}

export function findContextRoots(model: Model): number[] {
	const found: number[] = [];
	for (let id = 0; id < model.count; id++) if (model.is(id, flag.contextRoot)) found.push(id);
	return found;
}

/** From the top to the class, with it. */
export function findWayTo(model: Model, id: number): number[] {
	const way: number[] = [];
	for (let at = id; at >= 0; at = model.before[at] ?? -1) way.push(at);
	return way.reverse();
}

export interface Branch {
	readonly id: number;
	readonly children: Branch[];
	/** Something is left out below it. */
	truncated: boolean;
}

/**
 * The containment below a class, level by level, so that a limit cuts the deepest first. A class is
 * not followed below itself.
 */
export function getBranch(model: Model, id: number, depth: number, most: number): Branch {
	const root: Branch = { id, children: [], truncated: false };
	let level: { branch: Branch; above: readonly number[] }[] = [{ branch: root, above: [id] }];
	let count = 1;
	for (let deep = 0; level.length > 0; deep++) {
		const next: typeof level = [];
		for (const { branch, above } of level) {
			const children = listChildren(model, branch.id, false);
			const loops = above.slice(0, -1).includes(branch.id);
			if (deep >= depth || loops || count + children.length > most) {
				branch.truncated = children.length > 0;
				continue;
			}
			count += children.length;
			for (const child of children) {
				const made: Branch = { id: child, children: [], truncated: false };
				branch.children.push(made);
				next.push({ branch: made, above: [...above, child] });
			}
		}
		level = next;
	}
	return root;
}
