/**
 * A filter on the naming property of a class above, asked of the DN below: the BDs of tenants that start with "prod"
 * are those whose DN matches `^uni/tn-prod[^/]*` and a slash. Only where the layout is known, and only where the DN
 * says exactly what the filter asks: text operators on a value that stands in the DN without brackets.
 */
import { rnParts } from "./dn.ts";
import { escapeRegex, type FilterExpr } from "./filter-expression.ts";
import { levelOf, levelReader } from "./layout.ts";
import type { ChainNode, Layout } from "./plan.ts";

/** A class of the chain whose condition is read off the DN. */
export interface Pushed {
	level: number;
	property: string | undefined;
	filters: FilterExpr[];
}

/** Undefined when this node's filters (none is fine) cannot be told from a DN. */
export function pushable(layout: Layout, node: ChainNode, chainIndex: number): Pushed | undefined {
	const level = levelOf(layout, chainIndex);
	if (level === undefined) return undefined;
	if (node.filters.length === 0) return { level, property: undefined, filters: [] };
	const bracketed = layout.levels
		.slice(0, level + 1)
		.some(({ rnFormat }) => rnParts(rnFormat).some((p) => p.bracketed));
	const names = rnParts(layout.levels[level]?.rnFormat ?? "").flatMap(({ property }) => property ?? []);
	const [property] = names;
	if (bracketed || property === undefined || names.length !== 1) return undefined;
	return node.filters.every((expr) => readable(expr, property))
		? { level, property, filters: node.filters }
		: undefined;
}

function readable(expr: FilterExpr, property: string): boolean {
	if (expr.op === "and" || expr.op === "or" || expr.op === "xor")
		return expr.args.every((arg) => readable(arg, property));
	if (expr.op === "not") return readable(expr.arg, property);
	if (expr.op !== "eq" && expr.op !== "ne" && expr.op !== "starts" && expr.op !== "ends" && expr.op !== "contains")
		return false;
	return expr.property === property && expr.value !== "" && !/[/[\]]/.test(expr.value);
}

/**
 * Conditions on the DN of an object below: one regular expression for the shape with what fits into it, and one
 * expression for each filter that does not. With `implied` the shape by itself needs no saying.
 */
export function dnFilters(layout: Layout, pushed: readonly Pushed[], implied: boolean): FilterExpr[] {
	const pieces = new Map<number, FilterExpr>();
	const rest: { level: number; expr: FilterExpr }[] = [];
	for (const { level, filters } of pushed) {
		for (const expr of filters) {
			if (!pieces.has(level) && positive(expr)) pieces.set(level, expr);
			else rest.push({ level, expr });
		}
	}
	const shapeTo = implied ? Math.max(-1, ...pieces.keys()) : Math.max(-1, ...pushed.map(({ level }) => level));
	const shape: FilterExpr[] = shapeTo < 0 ? [] : [dnMatches(layout, shapeTo, pieces)];
	return [...shape, ...rest.map(({ level, expr }) => onDn(layout, level, expr))];
}

const positive = (expr: FilterExpr): boolean =>
	expr.op === "eq" || expr.op === "starts" || expr.op === "ends" || expr.op === "contains";

function onDn(layout: Layout, level: number, expr: FilterExpr): FilterExpr {
	switch (expr.op) {
		case "and":
		case "or":
		case "xor":
			return { op: expr.op, args: expr.args.map((arg) => onDn(layout, level, arg)) };
		case "not":
			return { op: "not", arg: onDn(layout, level, expr.arg) };
		case "ne":
			return { op: "not", arg: dnMatches(layout, level, new Map([[level, { ...expr, op: "eq" }]])) };
		default:
			return dnMatches(layout, level, new Map([[level, expr]]));
	}
}

function dnMatches(layout: Layout, to: number, pieces: ReadonlyMap<number, FilterExpr>): FilterExpr {
	const levels = layout.levels.slice(0, to + 1).map(({ rnFormat }, level) =>
		rnParts(rnFormat)
			.map(({ text, property, bracketed }) => {
				if (property === undefined) return escapeRegex(text);
				return valuePattern(pieces.get(level), bracketed === true);
			})
			.join(""),
	);
	return { op: "regex", property: "dn", value: `^${levels.join("/")}/` };
}

function valuePattern(expr: FilterExpr | undefined, bracketed: boolean): string {
	if (expr === undefined || !("value" in expr)) return bracketed ? ".+" : "[^/]+";
	const literal = escapeRegex(expr.value);
	if (expr.op === "starts") return `${literal}[^/]*`;
	if (expr.op === "ends") return `[^/]*${literal}`;
	return expr.op === "contains" ? `[^/]*${literal}[^/]*` : literal;
}

/** The same, decided here: the DN has this shape, goes on below it, and its naming values pass the filters. */
export function dnTest(layout: Layout, pushed: readonly Pushed[]): (dn: string) => boolean {
	const depth = Math.max(0, ...pushed.map(({ level }) => level + 1));
	if (depth === 0) return () => true;
	const read = levelReader(layout, depth);
	return (dn) => {
		const levels = read(dn);
		if (!levels) return false;
		return pushed.every(({ level, property, filters }) => {
			const value = levels[level]?.get(property ?? "") ?? "";
			return filters.every((expr) => namePasses(expr, value));
		});
	};
}

function namePasses(expr: FilterExpr, name: string): boolean {
	switch (expr.op) {
		case "and":
			return expr.args.every((arg) => namePasses(arg, name));
		case "or":
			return expr.args.some((arg) => namePasses(arg, name));
		case "xor":
			return expr.args.filter((arg) => namePasses(arg, name)).length % 2 === 1;
		case "not":
			return !namePasses(expr.arg, name);
		case "starts":
			return name.startsWith(expr.value);
		case "ends":
			return name.endsWith(expr.value);
		case "contains":
			return name.includes(expr.value);
		default:
			return "value" in expr && (expr.op === "ne") !== (name === expr.value);
	}
}
