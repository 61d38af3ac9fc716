/** Derives the levels of the DNs of a chain's objects from containment facts. */
import type { ClassModel } from "./class-table.ts";
import { createRnReader, splitDn } from "./dn.ts";
import type { Layout } from "./plan.ts";

/** Paths from the top of the tree to a class; a class with more has no layout. */
export const MAX_PATHS = 64;
const MAX_DEPTH = 24;

/**
 * Every sequence of classes from the top of the tree to this one; undefined when not all of them
 * are known.
 */
function listPathsTo(className: string, model: ClassModel, below: readonly string[] = []): string[][] | undefined {
	if (below.length > MAX_DEPTH || below.includes(className)) return undefined;
	const parents = model(className)?.parents;
	if (parents === undefined) return undefined;
	if (parents.length === 0) return [[className]];
	const paths: string[][] = [];
	for (const parent of parents) {
		const above = listPathsTo(parent, model, [...below, className]);
		if (above === undefined || paths.length + above.length > MAX_PATHS) return undefined;
		for (const path of above) paths.push([...path, className]);
	}
	return paths;
}

export function getLayout(chain: readonly string[], model: ClassModel): Layout {
	const implied = chain.map((name, i) => {
		const above = chain.slice(0, i);
		return i === 0 || (listPathsTo(name, model)?.every((path) => containsInOrder(path.slice(0, -1), above)) ?? false);
	});
	for (let covered = chain.length; covered > 0; covered -= 1) {
		const part = chain.slice(0, covered);
		const paths = (listPathsTo(part.at(-1) ?? "", model) ?? []).filter((path) =>
			containsInOrder(path.slice(0, -1), part.slice(0, -1)),
		);
		const [only, ...others] = paths;
		if (only === undefined || others.length > 0) continue;
		const levels = only.map((name) => {
			const chainIndex = part.indexOf(name);
			return { rnFormat: model(name)?.rnFormat ?? "", chainIndex: chainIndex < 0 ? undefined : chainIndex };
		});
		if (levels.every(({ rnFormat }) => rnFormat !== "")) return { levels, implied };
	}
	return { levels: [], implied };
}

/** Whether the classes occur in the path, in this order. */
function containsInOrder(path: readonly string[], classes: readonly string[]): boolean {
	let found = 0;
	for (const name of path) if (name === classes[found]) found += 1;
	return found === classes.length;
}

export const getLevel = (layout: Layout, chainIndex: number): number | undefined => {
	const level = layout.levels.findIndex((entry) => entry.chainIndex === chainIndex);
	return level < 0 ? undefined : level;
};

/**
 * Reads the naming values of a DN's first `depth` levels; undefined for a DN of another layout, or
 * without levels below.
 */
export function createLevelReader(layout: Layout, depth: number): (dn: string) => Map<string, string>[] | undefined {
	const readers = layout.levels.slice(0, depth).map(({ rnFormat }) => createRnReader(rnFormat));
	return (dn) => {
		const rns = splitDn(dn);
		if (rns.length <= depth) return undefined;
		const values: Map<string, string>[] = [];
		for (const [level, read] of readers.entries()) {
			const found = read(rns[level] ?? "");
			if (!found) return undefined;
			values.push(found);
		}
		return values;
	};
}
