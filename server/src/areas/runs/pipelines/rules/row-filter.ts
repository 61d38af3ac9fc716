/**
 * Checks the rows of a step in Weft, so that the result does not depend on how the controller reads
 * patterns.
 */
import { getAttribute, getDn, type Row, readManagedObject } from "../../../../core/rows/rows.ts";
import { isBelow } from "./dn.ts";
import { type FilterExpr, testRow } from "./filter-expression.ts";
import type { Branch } from "./plan.ts";
import { buildDnTest, type Pushed } from "./pushdown.ts";
import type { Target } from "./urls.ts";
import type { Condition } from "./value-requests.ts";
import { buildConditionTest } from "./values.ts";

export interface Check {
	target: Target;
	/** Rows must lie strictly below this DN. */
	under: string | undefined;
	pushed: readonly Pushed[];
	own: readonly FilterExpr[];
	local: readonly Condition[];
	/**
	 * Rows are objects related to the class's objects (`no-scoped`), so that conditions cannot be
	 * checked on them.
	 */
	blind: boolean;
}

export interface Keeper {
	readonly keep: (row: Row) => boolean;
	/** True: every row is kept. A name: the rows of this class. Null: `keep` must check each row. */
	readonly keepsClass: string | true | null;
}

export const EVERYTHING: Keeper = { keep: () => true, keepsClass: true };

/** `at`: index in the chain of the class whose rows are checked. */
export function createKeeper(branch: Branch, at: number, { target, under, pushed, own, local, blind }: Check): Keeper {
	if (target.kind === "scope" || target.kind === "class-scope") return EVERYTHING;
	const tests = local.map((condition) => ({ property: condition.property, test: buildConditionTest(condition) }));
	const fitsAbove = buildDnTest(branch.layout, pushed);
	const expected =
		branch.concrete && at === branch.chain.length - 1 && !blind ? branch.chain[at]?.className : undefined;
	const hasNoCondition = under === undefined && pushed.length === 0 && tests.length === 0 && own.length === 0;
	// Most queries have no condition, and the largest results.
	if (hasNoCondition && !blind) {
		return expected === undefined ? EVERYTHING : { keep: (row) => Object.hasOwn(row, expected), keepsClass: expected };
	}
	const keep = (row: Row): boolean => {
		const dn = getDn(row);
		if (dn === undefined && blind) return true;
		const attribute = getAttribute(row);
		if (expected !== undefined && readManagedObject(row)?.className !== expected) return false;
		if (under !== undefined && (dn === undefined || !isBelow(dn, under))) return false;
		if (pushed.length > 0 && (dn === undefined || !fitsAbove(dn))) return false;
		if (!tests.every(({ property, test }) => test(dn, attribute(property)))) return false;
		return blind || own.every((expr) => testRow(expr, attribute) !== false);
	};
	return { keep, keepsClass: null };
}
