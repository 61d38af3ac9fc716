/** Which rows of a step are kept: decided here, so that the answer does not hang on how the controller reads patterns. */
import type { Condition } from "./conditions.ts";
import { isBelow } from "./dn.ts";
import { type FilterExpr, testRow } from "./filter-expression.ts";
import { conditionTest } from "./inject.ts";
import type { Branch } from "./plan.ts";
import { dnTest, type Pushed } from "./pushdown.ts";
import { attributeOf, dnOf, managedObject, type Row } from "./rows.ts";
import type { Target } from "./urls.ts";

export interface Check {
	target: Target;
	/** Rows must lie strictly below this DN. */
	under: string | undefined;
	pushed: readonly Pushed[];
	own: readonly FilterExpr[];
	local: readonly Condition[];
	/** Rows are not the class's own objects but what is kept with them. */
	blind: boolean;
}

export interface Keeper {
	readonly keep: (row: Row) => boolean;
	/** True: every row is kept. A name: those of this class are. Null: each row must be looked at. */
	readonly keepsClass: string | true | null;
}

const EVERYTHING: Keeper = { keep: () => true, keepsClass: true };

/** `at`: place in the chain of the class whose rows these are. */
export function keeper(branch: Branch, at: number, { target, under, pushed, own, local, blind }: Check): Keeper {
	const wide = target.kind === "scope" || target.kind === "class-scope";
	if (wide) return EVERYTHING;
	const tests = local.map((condition) => ({ property: condition.property, test: conditionTest(condition) }));
	const fitsAbove = dnTest(branch.layout, pushed);
	const expected =
		branch.concrete && at === branch.chain.length - 1 && !blind ? branch.chain[at]?.className : undefined;
	const asksNothing = under === undefined && pushed.length === 0 && tests.length === 0 && own.length === 0;
	// Most queries are plain, and their answers the largest.
	if (asksNothing && !blind) {
		return expected === undefined ? EVERYTHING : { keep: (row) => Object.hasOwn(row, expected), keepsClass: expected };
	}
	const keep = (row: Row): boolean => {
		const dn = dnOf(row);
		if (dn === undefined && blind) return true;
		const attribute = attributeOf(row);
		if (expected !== undefined && managedObject(row)?.className !== expected) return false;
		if (under !== undefined && (dn === undefined || !isBelow(dn, under))) return false;
		if (pushed.length > 0 && (dn === undefined || !fitsAbove(dn))) return false;
		if (!tests.every(({ property, test }) => test(dn, attribute(property)))) return false;
		return blind || own.every((expr) => testRow(expr, attribute) !== false);
	};
	return { keep, keepsClass: null };
}

/** A condition that a row's attributes can refute. */
export function testable(expr: FilterExpr): boolean {
	if (expr.op === "and" || expr.op === "or" || expr.op === "xor") return expr.args.some(testable);
	if (expr.op === "not") return testable(expr.arg);
	return expr.op === "starts" || expr.op === "ends" || expr.op === "contains";
}
