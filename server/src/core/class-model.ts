/** Containment in the class model, with what classes inherit. Pure. */
import type { ModelClass, ModelGraph } from "./ports/class-model.ts";

interface Containers {
	/** Classes with objects of their own that may stand directly above. */
	readonly classes: readonly string[];
	/** It may also stand at the top of the tree. */
	readonly top: boolean;
}

/**
 * All classes that may contain a class, by inheritance too; undefined for an unknown class, and for
 * more than `most`.
 */
export function listContainers(model: ModelGraph, className: string, most: number): Containers | undefined {
	if (model.find(className) === undefined) return undefined;
	const classes = new Set<string>();
	const seen = new Set<string>();
	let top = false;
	for (const { containers } of listLineage(model, className)) {
		const open = [...containers];
		for (let name = open.pop(); name !== undefined; name = open.pop()) {
			if (seen.has(name)) continue;
			seen.add(name);
			const container = model.find(name);
			if (container === undefined) continue;
			if (isTop(container)) top = true;
			else if (!container.abstract) classes.add(name);
			if (classes.size > most) return undefined;
			// What a class may contain, those derived from it may contain as well.
			for (const sub of container.subClasses) open.push(sub);
		}
	}
	return { classes: [...classes], top };
}

/**
 * Where a class may be relative to another: directly below by its own definition or a superclass's,
 * further below, or not at all.
 */
type Containment = "own" | "inherited" | "further" | "none";

/** Both classes must be in the model. */
export function getContainment(model: ModelGraph, parent: string, child: string): Containment {
	const own = model.find(parent)?.contains.includes(child) || model.find(child)?.containers.includes(parent);
	if (own) return "own";
	const above = listKinds(model, parent);
	const below = listKinds(model, child);
	const direct =
		above.some(({ contains }) => contains.some((name) => below.some((kind) => kind.name === name))) ||
		below.some(({ containers }) => containers.some((name) => above.some((kind) => kind.name === name)));
	if (direct) return "inherited";
	return standsBelow(model, parent, child) ? "further" : "none";
}

/**
 * Upper bound of classes visited on the way up: above classes that can be anywhere the answer means
 * nothing.
 */
const MOST_ABOVE = 3_000;

function standsBelow(model: ModelGraph, parent: string, child: string): boolean {
	const seen = new Set<string>();
	const open = listKinds(model, child).map(({ name }) => name);
	for (let at = 0; at < open.length && seen.size < MOST_ABOVE; at++) {
		for (const name of listContainers(model, open[at] ?? "", MOST_ABOVE)?.classes ?? []) {
			if (seen.has(name)) continue;
			if (listLineage(model, name).some((kind) => kind.name === parent)) return true;
			seen.add(name);
			open.push(name);
		}
	}
	return false;
}

/**
 * A class and those it is derived from; of an abstract one also those derived from it, which have
 * its objects.
 */
function listKinds(model: ModelGraph, className: string): ModelClass[] {
	const found = listLineage(model, className);
	if (found[0]?.abstract !== true) return found;
	const names = new Set(found.map(({ name }) => name));
	const open = [...found[0].subClasses];
	for (let name = open.pop(); name !== undefined; name = open.pop()) {
		const sub = names.has(name) ? undefined : model.find(name);
		if (sub === undefined) continue;
		names.add(name);
		found.push(sub);
		open.push(...sub.subClasses);
	}
	return found;
}

function listLineage(model: ModelGraph, className: string): ModelClass[] {
	const own = model.find(className);
	return own === undefined ? [] : [own, ...own.superClasses.flatMap((name) => model.find(name) ?? [])];
}

/** The root above everything has no name of its own. */
const isTop = ({ abstract, rnFormat }: ModelClass): boolean => !abstract && rnFormat === "";
