/**
 * Filters: what a canvas says, as a tree; the controller's grammar for it; and what can be told from a row alone.
 *
 * The controller's `wcard` is an unanchored regular expression, so literals are escaped for that first: special
 * characters go into a class of their own (`[.]`), because it is nowhere written whether a backslash inside a quoted
 * value survives. Only `]`, `^` and the backslash itself, which a class cannot hold everywhere, take a backslash. A
 * double quote inside a value is written `\"`; the whole is percent-encoded by {@link encodeOption}.
 */
import type { FilterNode, FilterOperator } from "@weft/contracts";

export type Comparison = "eq" | "ne" | "lt" | "gt" | "le" | "ge";
export type FilterExpr =
	| { op: Comparison; property: string; value: string }
	| { op: "bw"; property: string; low: string; high: string }
	| { op: "starts" | "ends" | "contains" | "regex"; property: string; value: string }
	/** The DN is the value's, or (with `within`) below it. */
	| { op: "below" | "within"; property: "dn"; value: string }
	| { op: "and" | "or" | "xor"; args: FilterExpr[] }
	| { op: "not"; arg: FilterExpr };

/** What a filter node asks of its class; undefined when it asks nothing. A `Class.` in front of a property is dropped. */
export function filterOf(data: FilterNode["data"]): FilterExpr | undefined {
	if (data.filterType === "property") {
		const property = bare(data.property);
		const { operator = "eq", value } = data;
		const values = Array.isArray(value) ? value.map(String) : [String(value)];
		if (operator === "bw") {
			const [low = "", high = ""] = values.length === 2 ? values : (values[0] ?? "").split(",").map((v) => v.trim());
			return { op: "bw", property, low, high };
		}
		return leaf(operator, property, values[0] ?? "");
	}
	const groups = data.patternGroups.flatMap(({ patterns, logicalOperator = "and" }) =>
		combine(
			logicalOperator,
			patterns.map(({ property, pattern, operator, type, negate }) => {
				const base = patternLeaf(bare(property), pattern, operator, type);
				return negate === true ? not(base) : base;
			}),
		),
	);
	return combine(data.groupCombineOperator ?? "and", groups)[0];
}

const bare = (property: string): string => property.slice(property.indexOf(".") + 1);
const not = (arg: FilterExpr): FilterExpr => (arg.op === "not" ? arg.arg : { op: "not", arg });

function leaf(operator: Exclude<FilterOperator, "bw">, property: string, value: string): FilterExpr {
	return { op: operator === "wcard" ? "regex" : operator, property, value };
}

function patternLeaf(
	property: string,
	value: string,
	operator: FilterOperator | undefined,
	type: "starts" | "ends" | "contains" | "exact" | undefined,
): FilterExpr {
	const compares = operator !== undefined && operator !== "wcard" && operator !== "contains";
	const kind = type ?? (compares ? "exact" : "contains");
	if (kind !== "exact") {
		const match: FilterExpr = { op: kind, property, value };
		return operator === "ne" ? not(match) : match;
	}
	return { op: compares && operator !== "bw" ? operator : "eq", property, value };
}

/** One expression of many: none, itself, or a node. xor of many is taken two by two: an odd number is true. */
export function combine(op: "and" | "or" | "xor", args: readonly FilterExpr[]): FilterExpr[] {
	const [first, ...rest] = args;
	if (first === undefined) return [];
	if (rest.length === 0) return [first];
	if (op !== "xor") return [{ op, args: [...args] }];
	return [rest.reduce((left, right): FilterExpr => ({ op: "xor", args: [left, right] }), first)];
}

/** The parts that must all hold. */
export function conjuncts(expr: FilterExpr): FilterExpr[] {
	return expr.op === "and" ? expr.args.flatMap(conjuncts) : [expr];
}

/** The controller's text, every property qualified by `className`. */
export function writeFilter(className: string, expr: FilterExpr): string {
	switch (expr.op) {
		case "and":
		case "or":
		case "xor":
			return `${expr.op}(${expr.args.map((arg) => writeFilter(className, arg)).join(",")})`;
		case "not":
			return `not(${writeFilter(className, expr.arg)})`;
		case "bw":
			return `bw(${className}.${expr.property},${quote(expr.low)},${quote(expr.high)})`;
		case "starts":
		case "ends":
		case "contains":
		case "regex":
		case "below":
		case "within":
			return `wcard(${className}.${expr.property},${quote(patternOf(expr.op, expr.value))})`;
		default:
			return `${expr.op}(${className}.${expr.property},${quote(expr.value)})`;
	}
}

function patternOf(op: "starts" | "ends" | "contains" | "regex" | "below" | "within", value: string): string {
	if (op === "regex") return value;
	const literal = escapeRegex(value);
	if (op === "below") return `^${literal}/`;
	if (op === "within") return `^${literal}(/|$)`;
	return `${op === "starts" ? "^" : ""}${literal}${op === "ends" ? "$" : ""}`;
}

export const escapeRegex = (literal: string): string =>
	literal.replace(/[.*+?()[\]{}|$^\\]/g, (char) => (/[\]^\\]/.test(char) ? `\\${char}` : `[${char}]`));

/** A backslash before a quote, or at the end, would swallow it: those, and only those, are doubled. */
const quote = (value: string): string =>
	`"${value.replace(/(\\*)("|$)/g, (_, slashes: string, end: string) => slashes + slashes + (end && `\\${end}`))}"`;

/** Percent-encodes an option's value, or a DN in a path: what is safe in a query string stays readable, slashes too. */
export const encodeOption = (text: string): string =>
	encodeURIComponent(text).replace(/%2C|%2F|%3A/g, (code) => decodeURIComponent(code));

/**
 * Whether a row satisfies the expression, as far as its attributes tell: undefined means that only the controller can.
 * Comparisons are the controller's: it knows types (10 > 9) and the names of numbers (eq 80 finds "http"), a row shows
 * one rendering only. So is the user's own regular expression. Starts, ends and contains are about what is shown.
 */
export function testRow(expr: FilterExpr, attribute: (property: string) => string | undefined): boolean | undefined {
	switch (expr.op) {
		case "not": {
			const inner = testRow(expr.arg, attribute);
			return inner === undefined ? undefined : !inner;
		}
		case "and":
		case "or": {
			const decisive = expr.op === "or";
			let unknown = false;
			for (const arg of expr.args) {
				const value = testRow(arg, attribute);
				if (value === decisive) return decisive;
				unknown ||= value === undefined;
			}
			return unknown ? undefined : !decisive;
		}
		case "xor": {
			let odd = false;
			for (const arg of expr.args) {
				const value = testRow(arg, attribute);
				if (value === undefined) return undefined;
				odd = odd !== value;
			}
			return odd;
		}
		case "starts":
			return attribute(expr.property)?.startsWith(expr.value);
		case "ends":
			return attribute(expr.property)?.endsWith(expr.value);
		case "contains":
			return attribute(expr.property)?.includes(expr.value);
		default:
			return undefined;
	}
}
