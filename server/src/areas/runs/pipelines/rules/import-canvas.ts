/** Builds a canvas of classes in a chain, each with its filters behind it. */
import { type Canvas, FLOW_LIMITS } from "@weft/contracts";
import { type FilterTree, filterData, listClasses, listConjuncts, UnsupportedFilter } from "./import-filter.ts";

interface ClassPart {
	readonly className: string;
	readonly data: Record<string, unknown>;
	readonly filters: Record<string, unknown>[];
}

/** The classes of a request: perhaps one above, and those whose objects are the rows. */
export interface RequestClasses {
	readonly above: ClassPart | null;
	readonly rows: readonly ClassPart[];
}

export const readClassPart = (className: string): ClassPart => ({ className, data: { className }, filters: [] });

/**
 * Adds the conditions to the classes that their properties name, or to the rows. Returns the
 * classes that a condition names and the request does not have. @throws UnsupportedFilter
 */
export function addFilter({ above, rows }: RequestClasses, tree: FilterTree): string[] {
	const foreign = new Set<string>();
	const conjuncts = listConjuncts(tree);
	if (conjuncts.length * rows.length > FLOW_LIMITS.nodes) {
		throw new UnsupportedFilter(
			`The filter has ${conjuncts.length} conditions for ${rows.length} classes. A canvas has at most ${FLOW_LIMITS.nodes} nodes.`,
		);
	}
	for (const conjunct of conjuncts) {
		const data = filterData(conjunct);
		const named = [...listClasses(conjunct)].filter((name) => name !== null);
		const [name] = named;
		const parts = [...rows, ...(above === null ? [] : [above])];
		const matching = named.length === 1 ? parts.filter(({ className }) => className === name) : [];
		for (const part of matching.length > 0 ? matching : rows) part.filters.push(data);
		if (matching.length === 0) for (const other of named) foreign.add(other);
	}
	return [...foreign];
}

const OUTPUT = "output";

export function buildCanvas({ above, rows }: RequestClasses): Canvas {
	const nodes: { id: string; type: string; data: Record<string, unknown> }[] = [];
	const edges: { id: string; source: string; target: string }[] = [];
	let filters = 0;

	/** Adds a class behind a node, and its filters; the id of the last one. */
	function addClass({ className, data, filters: given }: ClassPart, behind: string | null): string {
		const id = `${className}-${nodes.length + 1}`;
		nodes.push({ id, type: "classNode", data });
		if (behind !== null) connectNodes(behind, id);
		let last = id;
		for (const filter of given) {
			filters += 1;
			const filterId = `filter-${filters}`;
			nodes.push({ id: filterId, type: "filterNode", data: filter });
			connectNodes(last, filterId);
			last = filterId;
		}
		return last;
	}

	function connectNodes(source: string, target: string): void {
		edges.push({ id: `${source}-${target}`, source, target });
	}

	const top = above === null ? null : addClass(above, null);
	const ends = rows.map((part) => addClass(part, top));
	nodes.push({ id: OUTPUT, type: "outputNode", data: {} });
	for (const end of ends) connectNodes(end, OUTPUT);
	return { nodes, edges };
}
