/**
 * Filters as an expression tree, the controller's grammar for it, and its evaluation on a row.
 *
 * The controller's `wcard` is an unanchored regular expression, so literals are escaped for that
 * first. Special characters go into a character class (`[.]`), because the controller's documents
 * do not say whether a backslash inside a quoted value survives. Only `]`, `^` and the backslash
 * itself, which a class cannot hold everywhere, take a backslash. A double quote inside a value is
 * written `\"`; all other backslashes belong to the value, so that a value cannot end in one:
 * equality with such a value is written as an anchored pattern. {@link encodeOption}
 * percent-encodes the whole.
 */
import type { FilterNode, FilterOperator } from "@weft/contracts";

type Comparison = "eq" | "ne" | "lt" | "gt" | "le" | "ge";
export type FilterLeaf =
	| { op: Comparison; property: string; value: string }
	| { op: "bw"; property: string; low: string; high: string }
	| { op: "starts" | "ends" | "contains" | "regex"; property: string; value: string }
	/** `below`: strictly below the DN in `value`. `within`: that DN or below it. */
	| { op: "below" | "within"; property: "dn"; value: string };
export type FilterExpr = FilterLeaf | { op: "and" | "or" | "xor"; args: FilterExpr[] } | { op: "not"; arg: FilterExpr };

/**
 * The filter of a node; undefined for one without conditions. Drops a `Class.` in front of a
 * property.
 */
export function buildFilter(data: FilterNode["data"]): FilterExpr | undefined {
	if (data.filterType === "property") {
		const property = stripClassPrefix(data.property);
		const { operator = "eq", value } = data;
		const values = Array.isArray(value) ? value.map(String) : [String(value)];
		if (operator === "bw") {
			const [low = "", high = ""] = values.length === 2 ? values : (values[0] ?? "").split(",").map((v) => v.trim());
			return { op: "bw", property, low, high };
		}
		return buildLeaf(operator, property, values[0] ?? "");
	}
	const groups = data.patternGroups.flatMap(({ patterns, logicalOperator = "and" }) =>
		combineFilters(
			logicalOperator,
			patterns.map(({ property, pattern, operator, type, negate }) => {
				const base = buildPatternLeaf(stripClassPrefix(property), pattern, operator, type);
				return negate === true ? negateFilter(base) : base;
			}),
		),
	);
	return combineFilters(data.groupCombineOperator ?? "and", groups)[0];
}

const stripClassPrefix = (property: string): string => property.slice(property.indexOf(".") + 1);
const negateFilter = (arg: FilterExpr): FilterExpr => (arg.op === "not" ? arg.arg : { op: "not", arg });

function buildLeaf(operator: Exclude<FilterOperator, "bw">, property: string, value: string): FilterExpr {
	return { op: operator === "wcard" ? "regex" : operator, property, value };
}

function buildPatternLeaf(
	property: string,
	value: string,
	operator: FilterOperator | undefined,
	type: "starts" | "ends" | "contains" | "exact" | undefined,
): FilterExpr {
	if (operator === "wcard" && type === undefined) return { op: "regex", property, value };
	const compares = operator !== undefined && operator !== "wcard" && operator !== "contains";
	const kind = type ?? (compares ? "exact" : "contains");
	if (kind !== "exact") {
		const match: FilterExpr = { op: kind, property, value };
		return operator === "ne" ? negateFilter(match) : match;
	}
	return { op: compares && operator !== "bw" ? operator : "eq", property, value };
}

/**
 * One expression of many: none, itself, or a node. xor of many is taken two by two: an odd number
 * is true.
 */
export function combineFilters(op: "and" | "or" | "xor", args: readonly FilterExpr[]): FilterExpr[] {
	const [first, ...rest] = args;
	if (first === undefined) return [];
	if (rest.length === 0) return [first];
	if (op !== "xor") return [{ op, args: [...args] }];
	return [rest.reduce((left, right): FilterExpr => ({ op: "xor", args: [left, right] }), first)];
}

/** The parts that must all hold. */
export function splitConjuncts(expr: FilterExpr): FilterExpr[] {
	return expr.op === "and" ? expr.args.flatMap(splitConjuncts) : [expr];
}

/** The controller's text, every property qualified by `className`. */
export function writeFilter(className: string, expr: FilterExpr): string {
	switch (expr.op) {
		case "xor":
			return writeXor(className, expr.args);
		case "and":
		case "or":
			return `${expr.op}(${expr.args.map((arg) => writeFilter(className, arg)).join(",")})`;
		case "not":
			return `not(${writeFilter(className, expr.arg)})`;
		case "bw":
			return `bw(${className}.${expr.property},${quoteValue(expr.low)},${quoteValue(expr.high)})`;
		case "starts":
		case "ends":
		case "contains":
		case "regex":
		case "below":
		case "within":
			return `wcard(${className}.${expr.property},${quoteValue(buildPattern(expr.op, expr.value))})`;
		default:
			return writeComparison(className, expr);
	}
}

function writeComparison(className: string, { op, property, value }: FilterLeaf & { op: Comparison }): string {
	if (!value.endsWith("\\") || (op !== "eq" && op !== "ne"))
		return `${op}(${className}.${property},${quoteValue(value)})`;
	const pattern = `wcard(${className}.${property},${quoteValue(`^${escapeRegex(value)}$`)})`;
	return op === "ne" ? `not(${pattern})` : pattern;
}

/**
 * A chain of xor nests once per operand. It is written without recursion, and its text only once,
 * so that the work grows with the text.
 */
function writeXor(className: string, args: readonly FilterExpr[]): string {
	const ends: string[] = [];
	let operands = args;
	for (;;) {
		const [first, ...rest] = operands;
		ends.push(`${rest.map((arg) => `,${writeFilter(className, arg)}`).join("")})`);
		if (first === undefined) return "";
		if (first.op !== "xor") {
			return `${"xor(".repeat(ends.length)}${writeFilter(className, first)}${ends.reverse().join("")}`;
		}
		operands = first.args;
	}
}

function buildPattern(op: "starts" | "ends" | "contains" | "regex" | "below" | "within", value: string): string {
	const literal = op === "regex" ? value : escapeRegex(value);
	if (op === "below") return `^${literal}/`;
	if (op === "within") return `^${literal}(/|$)`;
	const pattern = `${op === "starts" ? "^" : ""}${literal}${op === "ends" ? "$" : ""}`;
	// The last backslash would take the closing quote with it.
	return pattern.endsWith("\\") ? `${pattern}{1}` : pattern;
}

export const escapeRegex = (literal: string): string =>
	literal.replace(/[.*+?()[\]{}|$^\\]/g, (char) => (/[\]^\\]/.test(char) ? `\\${char}` : `[${char}]`));

/** Takes a value that does not end in a backslash; validation refuses those that do. */
const quoteValue = (value: string): string => `"${value.replaceAll('"', '\\"')}"`;

/**
 * Percent-encodes an option's value, or a DN in a path; characters that are safe in a query string
 * stay readable, slashes too.
 */
export const encodeOption = (text: string): string =>
	encodeURIComponent(text).replace(/%2C|%2F|%3A/g, (code) => decodeURIComponent(code));

/** The comparisons of an expression. */
export function listLeaves(expr: FilterExpr): FilterLeaf[] {
	const leaves: FilterLeaf[] = [];
	function collectLeaves(part: FilterExpr): void {
		if ("args" in part) part.args.forEach(collectLeaves);
		else if ("arg" in part) collectLeaves(part.arg);
		else leaves.push(part);
	}
	collectLeaves(expr);
	return leaves;
}

/** The expression with each comparison replaced. */
export function mapLeaves(expr: FilterExpr, replace: (leaf: FilterLeaf) => FilterExpr): FilterExpr {
	if ("args" in expr) return { op: expr.op, args: expr.args.map((arg) => mapLeaves(arg, replace)) };
	return "arg" in expr ? { op: "not", arg: mapLeaves(expr.arg, replace) } : replace(expr);
}

/** Evaluates in three-valued logic; undefined where unknown comparisons decide. */
export function evaluateFilter(expr: FilterExpr, test: (leaf: FilterLeaf) => boolean | undefined): boolean | undefined {
	if ("arg" in expr) {
		const inner = evaluateFilter(expr.arg, test);
		return inner === undefined ? undefined : !inner;
	}
	if (!("args" in expr)) return test(expr);
	const values = expr.args.map((arg) => evaluateFilter(arg, test));
	if (expr.op !== "xor") {
		const decisive = expr.op === "or";
		if (values.includes(decisive)) return decisive;
		return values.includes(undefined) ? undefined : !decisive;
	}
	return values.includes(undefined) ? undefined : values.filter(Boolean).length % 2 === 1;
}

/** Undefined for a comparison that is not a search in text, or without a text. */
export function searchText(leaf: FilterLeaf, text: string | undefined): boolean | undefined {
	switch (leaf.op) {
		case "starts":
			return text?.startsWith(leaf.value);
		case "ends":
			return text?.endsWith(leaf.value);
		case "contains":
			return text?.includes(leaf.value);
		default:
			return undefined;
	}
}

/**
 * Whether a row satisfies the expression; undefined when only the controller can decide. The
 * controller compares by type (10 > 9) and knows names of numbers (eq 80 matches "http"), whereas a
 * row shows one rendering. The same holds for the user's own regular expressions. Starts, ends and
 * contains are about the text that is shown.
 */
export const testRow = (expr: FilterExpr, attribute: (property: string) => string | undefined): boolean | undefined =>
	evaluateFilter(expr, (leaf) => searchText(leaf, attribute(leaf.property)));

/** Whether a row's attributes can refute the expression. */
export const isTestable = (expr: FilterExpr): boolean =>
	listLeaves(expr).some(({ op }) => op === "starts" || op === "ends" || op === "contains");
