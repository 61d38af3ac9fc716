/** Naive evaluation of a canvas on the tree itself, one object at a time. */
import type { Mo } from "./random-fabric.ts";

export interface Canvas {
	nodes: { id: string; type: string; data: Record<string, unknown> }[];
	edges: { id: string; source: string; target: string; data?: Record<string, unknown> }[];
}
type Pick = ReadonlyMap<string, string>;

/** DNs of the rows of each class node, in the order of the answer where there is a limit. */
export function evaluateCanvas(canvas: Canvas, fabric: readonly Mo[]): (nodeId: string) => string[] {
	const byId = new Map(canvas.nodes.map((node) => [node.id, node]));
	const plain = canvas.edges.filter(({ data }) => data?.edgeType !== "pipeline");
	const piped = canvas.edges.filter(({ data }) => data?.edgeType === "pipeline");
	const isClass = (id: string) => byId.get(id)?.type === "classNode";

	const classesAbove = (id: string): string[] =>
		plain
			.filter(({ target }) => target === id)
			.flatMap(({ source }) => (isClass(source) ? [source] : classesAbove(source)));
	const getFilters = (id: string) =>
		canvas.nodes
			.filter((node) => node.type === "filterNode" && classesAbove(node.id).includes(id))
			.map(({ data }) => data);
	const getValues = (edge: Canvas["edges"][number]): string[] => {
		const field = String(edge.data?.extractField ?? "dn");
		const dns = new Set(rows(edge.source));
		return [
			...new Set(fabric.filter((mo) => dns.has(mo.attributes.dn ?? "")).flatMap((mo) => mo.attributes[field] || [])),
		];
	};
	/** Objects of the class that pass, given one value for each iterated edge. */
	const passing = (id: string, pick: Pick): Mo[] => {
		const node = byId.get(id);
		const above = classesAbove(id).map((parent) => new Set(passing(parent, pick)));
		const inputs = piped.filter(({ target }) => target === id);
		return fabric.filter((mo) => {
			if (mo.className !== node?.data.className) return false;
			if (!getFilters(id).every((filter) => passesFilter(filter, mo))) return false;
			const fits = inputs.every((edge) => {
				const chosen = pick.get(edge.id);
				const values = chosen === undefined ? getValues(edge) : [chosen];
				const property = String(edge.data?.injectProperty ?? "dn");
				if (edge.data?.injectAs !== "dn_scope") return values.includes(mo.attributes[property] ?? "");
				return values.some((dn) => [mo, ...listAncestors(mo)].some((other) => other.attributes.dn === dn));
			});
			return fits && (above.length === 0 || above.some((set) => listAncestors(mo).some((other) => set.has(other))));
		});
	};
	const memo = new Map<string, string[]>();
	const rows = (id: string): string[] => {
		const known = memo.get(id);
		if (known) return known;
		const data = byId.get(id)?.data ?? {};
		const iterated = piped.filter(({ target, data: edge }) => target === id && edge?.injectAs === "iterate");
		let picks: Map<string, string>[] = [new Map()];
		for (const edge of iterated) {
			picks = picks.flatMap((pick) => getValues(edge).map((value) => new Map([...pick, [edge.id, value]])));
		}
		const result = picks.flatMap((pick) => {
			const found = passing(id, pick);
			const wide = widenScope(found, fabric, String(data.scope ?? "self"));
			const sorted = wide.sort(createComparator(String(data.orderBy ?? "dn")));
			return typeof data.limit === "number" ? sorted.slice(0, data.limit) : sorted;
		});
		const dns = [...new Set(result.map((mo) => mo.attributes.dn ?? ""))];
		memo.set(id, dns);
		return dns;
	};
	return rows;
}

function listAncestors(mo: Mo): Mo[] {
	return mo.parent ? [mo.parent, ...listAncestors(mo.parent)] : [];
}

function widenScope(found: Mo[], fabric: readonly Mo[], scope: string): Mo[] {
	if (scope === "self") return found;
	const set = new Set(found);
	return fabric.filter((mo) => {
		if (scope === "children") return mo.parent !== undefined && set.has(mo.parent);
		return set.has(mo) || listAncestors(mo).some((other) => set.has(other));
	});
}

function createComparator(orderBy: string): (a: Mo, b: Mo) => number {
	const property = orderBy.replace("-", "");
	const sign = orderBy.startsWith("-") ? -1 : 1;
	const compare = (x = "", y = "") =>
		x !== "" && y !== "" && !Number.isNaN(Number(x)) && !Number.isNaN(Number(y))
			? Number(x) - Number(y)
			: x < y
				? -1
				: x > y
					? 1
					: 0;
	return (a, b) =>
		sign * compare(a.attributes[property], b.attributes[property]) ||
		(a.attributes.dn === b.attributes.dn ? 0 : (a.attributes.dn ?? "") < (b.attributes.dn ?? "") ? -1 : 1);
}

interface Pattern {
	property: string;
	pattern: string;
	type: string;
	negate: boolean;
}

function passesFilter(filter: Record<string, unknown>, mo: Mo): boolean {
	if (filter.filterType === "query-target-filter") {
		const groups = filter.patternGroups as { patterns: Pattern[]; logicalOperator: string }[];
		return combineResults(
			String(filter.groupCombineOperator),
			groups.map(({ patterns, logicalOperator }) =>
				combineResults(
					logicalOperator,
					patterns.map((pattern) => matchesPattern(pattern, mo)),
				),
			),
		);
	}
	const have = mo.attributes[String(filter.property)];
	const [value = "", high = ""] = Array.isArray(filter.value) ? filter.value.map(String) : [String(filter.value)];
	if (have === undefined) return filter.operator === "ne";
	const compare = (a: string, b: string) =>
		Number.isNaN(Number(a)) || Number.isNaN(Number(b)) ? (a < b ? -1 : a > b ? 1 : 0) : Number(a) - Number(b);
	switch (filter.operator) {
		case "ne":
			return have !== value;
		case "contains":
			return have.includes(value);
		case "wcard":
			return new RegExp(value, "u").test(have);
		case "gt":
			return compare(have, value) > 0;
		case "le":
			return compare(have, value) <= 0;
		case "bw":
			return compare(have, value) >= 0 && compare(have, high) <= 0;
		default:
			return have === value;
	}
}

function matchesPattern({ property, pattern, type, negate }: Pattern, mo: Mo): boolean {
	const have = mo.attributes[property];
	const found =
		have !== undefined &&
		(type === "starts"
			? have.startsWith(pattern)
			: type === "ends"
				? have.endsWith(pattern)
				: type === "exact"
					? have === pattern
					: have.includes(pattern));
	return found !== negate;
}

function combineResults(operator: string, values: boolean[]): boolean {
	if (operator === "or") return values.some(Boolean);
	return operator === "xor" ? values.filter(Boolean).length % 2 === 1 : values.every(Boolean);
}
