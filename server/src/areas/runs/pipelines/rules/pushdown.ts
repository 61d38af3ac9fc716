/**
 * Applies a filter on the naming property of a parent class to the DNs below: the BDs of tenants
 * that start with "prod" are those whose DN matches `^uni/tn-prod[^/]*` and a slash. Requires a
 * known layout, and a text operator on a value that stands in the DN without brackets.
 */
import { splitRnParts } from "./dn.ts";
import { createLevelReader, getLevel } from "./dn-layout.ts";
import {
	escapeRegex,
	evaluateFilter,
	type FilterExpr,
	listLeaves,
	mapLeaves,
	searchText,
} from "./filter-expression.ts";
import type { ChainNode, Layout } from "./plan.ts";

/** A class of the chain whose filters are checked on the DN. */
export interface Pushed {
	level: number;
	property: string | undefined;
	filters: FilterExpr[];
}

/** Undefined when this node's filters cannot be checked on a DN. */
export function findPushedFilters(layout: Layout, node: ChainNode, chainIndex: number): Pushed | undefined {
	const level = getLevel(layout, chainIndex);
	if (level === undefined) return undefined;
	if (node.filters.length === 0) return { level, property: undefined, filters: [] };
	const bracketed = layout.levels
		.slice(0, level + 1)
		.some(({ rnFormat }) => splitRnParts(rnFormat).some((p) => p.bracketed));
	const names = splitRnParts(layout.levels[level]?.rnFormat ?? "").flatMap(({ property }) => property ?? []);
	const [property] = names;
	if (bracketed || property === undefined || names.length !== 1) return undefined;
	return node.filters.every((expr) => isReadable(expr, property))
		? { level, property, filters: node.filters }
		: undefined;
}

const READABLE: ReadonlySet<string> = new Set(["eq", "ne", "starts", "ends", "contains"]);

const isReadable = (expr: FilterExpr, property: string): boolean =>
	listLeaves(expr).every(
		(leaf) =>
			READABLE.has(leaf.op) &&
			leaf.property === property &&
			"value" in leaf &&
			leaf.value !== "" &&
			!/[/[\]]/.test(leaf.value),
	);

/**
 * Conditions on the DN of an object below: one regular expression for the shape with what fits into
 * it, and one expression for each other filter. With `implied` every DN has the shape, so that it
 * is sent only with a value.
 */
export function buildDnFilters(layout: Layout, pushed: readonly Pushed[], implied: boolean): FilterExpr[] {
	const pieces = new Map<number, FilterExpr>();
	const rest: { level: number; expr: FilterExpr }[] = [];
	for (const { level, filters } of pushed) {
		for (const expr of filters) {
			if (!pieces.has(level) && isPositive(expr)) pieces.set(level, expr);
			else rest.push({ level, expr });
		}
	}
	const shapeTo = implied ? Math.max(-1, ...pieces.keys()) : Math.max(-1, ...pushed.map(({ level }) => level));
	const shape: FilterExpr[] = shapeTo < 0 ? [] : [matchDn(layout, shapeTo, pieces)];
	return [...shape, ...rest.map(({ level, expr }) => isOnDn(layout, level, expr))];
}

const isPositive = (expr: FilterExpr): boolean =>
	expr.op === "eq" || expr.op === "starts" || expr.op === "ends" || expr.op === "contains";

function isOnDn(layout: Layout, level: number, expr: FilterExpr): FilterExpr {
	return mapLeaves(expr, (leaf) => {
		if (leaf.op !== "ne") return matchDn(layout, level, new Map([[level, leaf]]));
		return { op: "not", arg: matchDn(layout, level, new Map([[level, { ...leaf, op: "eq" }]])) };
	});
}

function matchDn(layout: Layout, to: number, pieces: ReadonlyMap<number, FilterExpr>): FilterExpr {
	const levels = layout.levels.slice(0, to + 1).map(({ rnFormat }, level) =>
		splitRnParts(rnFormat)
			.map(({ text, property, bracketed }) => {
				if (property === undefined) return escapeRegex(text);
				return buildValuePattern(pieces.get(level), bracketed === true);
			})
			.join(""),
	);
	return { op: "regex", property: "dn", value: `^${levels.join("/")}/` };
}

function buildValuePattern(expr: FilterExpr | undefined, bracketed: boolean): string {
	if (expr === undefined || !("value" in expr)) return bracketed ? ".+" : "[^/]+";
	const literal = escapeRegex(expr.value);
	if (expr.op === "starts") return `${literal}[^/]*`;
	if (expr.op === "ends") return `[^/]*${literal}`;
	return expr.op === "contains" ? `[^/]*${literal}[^/]*` : literal;
}

/**
 * Checks the same in Weft: the DN has this shape and more levels, and its naming values pass the
 * filters.
 */
export function buildDnTest(layout: Layout, pushed: readonly Pushed[]): (dn: string) => boolean {
	const depth = Math.max(0, ...pushed.map(({ level }) => level + 1));
	if (depth === 0) return () => true;
	const read = createLevelReader(layout, depth);
	return (dn) => {
		const levels = read(dn);
		if (!levels) return false;
		return pushed.every(({ level, property, filters }) => {
			const value = levels[level]?.get(property ?? "") ?? "";
			return filters.every((expr) => namePasses(expr, value));
		});
	};
}

const namePasses = (expr: FilterExpr, name: string): boolean | undefined =>
	evaluateFilter(
		expr,
		(leaf) => searchText(leaf, name) ?? ("value" in leaf && (leaf.op === "ne") !== (name === leaf.value)),
	);
