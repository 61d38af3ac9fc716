/** The path from the top of the tree to each class: through configurable classes, and short. */
import { flag } from "./flags.ts";

interface Lists {
	readonly at: Uint32Array;
	readonly to: Uint32Array;
}

interface Tree {
	readonly count: number;
	readonly flags: Uint32Array;
	readonly children: Lists;
	readonly parents: Lists;
	/** The top root; -1 where there is none. */
	readonly top: number;
}

/** Cost of a configurable class. */
const STEP = 1;
/** Cost of a class that is not configurable, such as a mirror of another object. */
const DETOUR = 10;
/** Cost of a start at another class without containers. */
const OTHER_TOP = 1_000;

/**
 * Returns the parent of each class on its cheapest path (Dijkstra). -1 for tops, and for classes
 * that are only contained in themselves.
 */
export function findBestParents({ count, flags, children, parents, top }: Tree): Int32Array {
	const before = new Int32Array(count).fill(-1);
	const cost = new Uint32Array(count).fill(0xffffffff);
	const queue = createQueue();
	for (let id = 0; id < count; id++) {
		if (id !== top && (parents.at[id] ?? 0) < (parents.at[id + 1] ?? 0)) continue;
		cost[id] = id === top ? 0 : OTHER_TOP;
		queue.put(id, cost[id] ?? 0);
	}
	for (let next = queue.take(); next !== null; next = queue.take()) {
		const [id, reached] = next;
		if (reached > (cost[id] ?? 0)) continue;
		for (let i = children.at[id] ?? 0; i < (children.at[id + 1] ?? 0); i++) {
			const child = children.to[i] ?? 0;
			const step = ((flags[child] ?? 0) & flag.configurable) !== 0 ? STEP : DETOUR;
			const total = reached + step;
			if (total >= (cost[child] ?? 0)) continue;
			cost[child] = total;
			before[child] = id;
			queue.put(child, total);
		}
	}
	return before;
}

/** A queue by integer cost. Equal costs keep their order, so that paths are deterministic. */
function createQueue() {
	const buckets = new Map<number, number[]>();
	const costs: number[] = [];
	return {
		put(id: number, cost: number): void {
			const bucket = buckets.get(cost);
			if (bucket !== undefined) {
				bucket.push(id);
				return;
			}
			buckets.set(cost, [id]);
			let at = costs.length;
			while (at > 0 && (costs[at - 1] ?? 0) < cost) at--;
			costs.splice(at, 0, cost);
		},
		take(): readonly [id: number, cost: number] | null {
			for (let cost = costs.at(-1); cost !== undefined; cost = costs.at(-1)) {
				const id = buckets.get(cost)?.shift();
				if (id !== undefined) return [id, cost];
				costs.pop();
				buckets.delete(cost);
			}
			return null;
		},
	};
}
