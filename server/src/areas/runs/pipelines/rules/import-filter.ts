/** Reads the controller's filter expressions, and writes them as filter nodes of a canvas. */

export interface FilterTest {
	readonly op: "eq" | "ne" | "gt" | "lt" | "ge" | "le" | "bw" | "wcard";
	/** Null for a property without a class in front. */
	readonly className: string | null;
	readonly property: string;
	readonly values: readonly string[];
}
export type FilterTree =
	| FilterTest
	| { readonly op: "and" | "or" | "xor"; readonly args: readonly FilterTree[] }
	| { readonly op: "not"; readonly arg: FilterTree };

/** A part of a filter that no canvas can represent. */
export class UnsupportedFilter extends Error {}

const TESTS: ReadonlySet<string> = new Set(["eq", "ne", "gt", "lt", "ge", "le", "bw", "wcard"]);
const MAX_DEPTH = 32;
const PROPERTY = /^(?:([A-Za-z][A-Za-z0-9]*)\.)?([A-Za-z_][A-Za-z0-9_]*)$/;

/** @throws UnsupportedFilter */
export function readFilter(text: string): FilterTree {
	let at = 0;

	function skipWhitespace(): void {
		while (/\s/.test(text[at] ?? "")) at += 1;
	}

	function expectCharacter(char: string): void {
		skipWhitespace();
		if (text[at] !== char) throw new UnsupportedFilter(`The filter is not complete at character ${at + 1}.`);
		at += 1;
	}

	/** A quoted value (a backslash escapes a quote), or text up to the next separator. */
	function readValue(): string {
		skipWhitespace();
		const quote = text[at];
		if (quote !== '"' && quote !== "'") {
			const [word = ""] = /^[^,()]*/.exec(text.slice(at)) ?? [];
			at += word.length;
			return word.trim();
		}
		let read = "";
		for (at += 1; text[at] !== quote; at += 1) {
			if (at >= text.length) throw new UnsupportedFilter("A quote of the filter is not closed.");
			if (text[at] === "\\" && text[at + 1] === quote) at += 1;
			read += text[at];
		}
		at += 1;
		return read;
	}

	function readList<T>(item: () => T): T[] {
		expectCharacter("(");
		const items = [item()];
		for (skipWhitespace(); text[at] === ","; skipWhitespace()) {
			at += 1;
			items.push(item());
		}
		expectCharacter(")");
		return items;
	}

	function readExpression(depth: number): FilterTree {
		if (depth > MAX_DEPTH) throw new UnsupportedFilter("The filter is nested too deeply.");
		skipWhitespace();
		const [op = ""] = /^[A-Za-z-]*/.exec(text.slice(at)) ?? [];
		at += op.length;
		if (op === "and" || op === "or" || op === "xor") return { op, args: readList(() => readExpression(depth + 1)) };
		if (op === "not") {
			const [arg, ...more] = readList(() => readExpression(depth + 1));
			if (arg === undefined || more.length > 0) throw new UnsupportedFilter("not takes one condition.");
			return { op, arg };
		}
		if (!TESTS.has(op))
			throw new UnsupportedFilter(`The filter has ${op || "an operator"}, which no canvas can express.`);
		const [name = "", ...values] = readList(readValue);
		return buildTest(op as FilterTest["op"], name, values);
	}

	const tree = readExpression(0);
	skipWhitespace();
	if (at < text.length) throw new UnsupportedFilter(`The filter has more text at character ${at + 1}.`);
	return tree;
}

/** @throws UnsupportedFilter */
export function buildTest(op: FilterTest["op"], name: string, values: readonly string[]): FilterTest {
	const [, className = null, property] = PROPERTY.exec(name) ?? [];
	if (property === undefined)
		throw new UnsupportedFilter(`The filter has ${JSON.stringify(name)}, which is no property.`);
	if (values.length !== (op === "bw" ? 2 : 1)) throw new UnsupportedFilter(`${op} has a wrong number of values.`);
	return { op, className, property, values };
}

/** The parts that must all hold. */
export const listConjuncts = (tree: FilterTree): readonly FilterTree[] =>
	tree.op === "and" ? tree.args.flatMap(listConjuncts) : [tree];

/** The classes in front of the properties; null for properties without one. */
export function listClasses(tree: FilterTree): Set<string | null> {
	if ("args" in tree) return new Set(tree.args.flatMap((arg) => [...listClasses(arg)]));
	return "arg" in tree ? listClasses(tree.arg) : new Set([tree.className]);
}

/** Data of a filter node. @throws UnsupportedFilter */
export function filterData(tree: FilterTree): Record<string, unknown> {
	if ("property" in tree) {
		const [first = "", second] = tree.values;
		const value = second === undefined ? first : [first, second];
		return { filterType: "property", property: tree.property, operator: tree.op, value };
	}
	const [op, groups] = getGroups(tree);
	return {
		filterType: "query-target-filter",
		groupCombineOperator: op,
		patternGroups: groups.map(([logicalOperator, patterns]) => ({ logicalOperator, patterns })),
	};
}

type Op = "and" | "or" | "xor";
type Group = readonly [Op, readonly Record<string, unknown>[]];

function getGroups(tree: FilterTree): readonly [Op, readonly Group[]] {
	if (!("args" in tree)) return ["and", [["and", [buildPattern(tree)]]]];
	if (tree.args.every((arg) => !("args" in arg))) return ["and", [[tree.op, tree.args.map(buildPattern)]]];
	return [
		tree.op,
		tree.args.map(
			(arg): Group => ("args" in arg ? [arg.op, arg.args.map(buildPattern)] : ["and", [buildPattern(arg)]]),
		),
	];
}

function buildPattern(tree: FilterTree): Record<string, unknown> {
	if ("args" in tree) throw new UnsupportedFilter("The filter nests and, or and xor more than two levels deep.");
	if ("arg" in tree) {
		const { negate, ...pattern } = buildPattern(tree.arg);
		return negate === true ? pattern : { ...pattern, negate: true };
	}
	if (tree.op === "bw") throw new UnsupportedFilter("The filter has bw inside of or, xor or not. Use ge and le.");
	return { property: tree.property, operator: tree.op, pattern: tree.values[0] ?? "" };
}
