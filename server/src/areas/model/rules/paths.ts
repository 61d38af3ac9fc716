/**
 * Shortest ways between two classes over containment and relations: all of the shortest, up to a
 * limit.
 */
import { flag } from "./flags.ts";
import type { Model } from "./model.ts";

type Way = "contains" | "contained_by" | "refers_to" | "referred_to_by";

interface Step {
	readonly id: number;
	/** How one gets here from the class before; null at the start. */
	readonly way: Way | null;
	/** The relation's class; -1 where there is none. */
	readonly via: number;
}

export interface Paths {
	/** Null where there is no way. */
	readonly length: number | null;
	readonly paths: readonly (readonly Step[])[];
	readonly more: boolean;
}

type Over = "containment" | "relations" | "both";

export interface PathFinder {
	between(from: number, to: number, over: Over, limit: number): Paths;
}

/**
 * The relations of other classes' documents to each class, the other way round; made when they are
 * first asked for.
 */
function buildReverseSteps(model: Model) {
	const steps = new Map<number, Step[]>();
	const note = (at: number, step: Step) => steps.set(at, [...(steps.get(at) ?? []), step]);
	for (let id = 0; id < model.count; id++) {
		const [toVia, fromVia] = [model.toVia(id), model.fromVia(id)];
		for (const [i, end] of model.to(id).entries()) note(end, { id, way: "referred_to_by", via: toVia[i] ?? -1 });
		for (const [i, end] of model.from(id).entries()) note(end, { id, way: "refers_to", via: fromVia[i] ?? -1 });
	}
	return steps;
}

export function createPathFinder(model: Model): PathFinder {
	let others: ReadonlyMap<number, readonly Step[]> | null = null;

	/**
	 * Classes that stand everywhere connect everything with everything and tell nothing: they are
	 * only used as ends.
	 */
	function stepsFrom(id: number, over: Over, ends: readonly number[]): Step[] {
		const steps: Step[] = [];
		const seen = new Set<string>();
		const add = (step: Step) => {
			const { id: other, way } = step;
			if (other === id || (model.is(other, flag.common) && !ends.includes(other))) return;
			// Both documents tell of most relations, each with the class on its own side.
			const key = `${way}${other}`;
			if (seen.has(key)) return;
			seen.add(key);
			steps.push(step);
		};
		if (over !== "relations") {
			for (const child of model.contains(id)) add({ id: child, way: "contains", via: -1 });
			for (const parent of model.containers(id)) add({ id: parent, way: "contained_by", via: -1 });
		}
		if (over !== "containment") {
			const [toVia, fromVia] = [model.toVia(id), model.fromVia(id)];
			for (const [i, end] of model.to(id).entries()) add({ id: end, way: "refers_to", via: toVia[i] ?? -1 });
			for (const [i, end] of model.from(id).entries()) add({ id: end, way: "referred_to_by", via: fromVia[i] ?? -1 });
			others ??= buildReverseSteps(model);
			for (const step of others.get(id) ?? []) add(step);
		}
		return steps;
	}

	/** How far each class is from the end, as far as the start; every edge can be gone both ways. */
	function computeDistances(from: number, to: number, over: Over): Int32Array {
		const distance = new Int32Array(model.count).fill(-1);
		distance[to] = 0;
		let level = [to];
		while (level.length > 0 && (distance[from] ?? -1) < 0) {
			const next: number[] = [];
			for (const id of level) {
				for (const { id: other } of stepsFrom(id, over, [from, to])) {
					if ((distance[other] ?? -1) >= 0) continue;
					distance[other] = (distance[id] ?? 0) + 1;
					next.push(other);
				}
			}
			level = next;
		}
		return distance;
	}

	return {
		between(from, to, over, limit) {
			const distance = computeDistances(from, to, over);
			const length = distance[from] ?? -1;
			if (length < 0) return { length: null, paths: [], more: false };
			const paths: Step[][] = [];
			let more = false;
			const walk = (path: readonly Step[]): void => {
				const last = path.at(-1)?.id ?? from;
				if (last === to) {
					if (paths.length < limit) paths.push([...path]);
					else more = true;
					return;
				}
				for (const step of stepsFrom(last, over, [from, to])) {
					if (more) return;
					if (distance[step.id] === (distance[last] ?? 0) - 1) walk([...path, step]);
				}
			};
			walk([{ id: from, way: null, via: -1 }]);
			return { length, paths, more };
		},
	};
}
