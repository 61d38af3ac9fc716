/**
 * What a branch's filters determine before any request: parts of the DN, and the classes that need
 * requests of their own.
 */
import { buildRn, listNamingProperties } from "./dn.ts";
import { getLevel } from "./dn-layout.ts";
import type { FilterExpr } from "./filter-expression.ts";
import type { Branch, ChainNode, StageInput, Strategy } from "./plan.ts";
import { findPushedFilters, type Pushed } from "./pushdown.ts";

/**
 * RNs from the top that eq filters on naming properties determine, of the chain's first `upTo + 1`
 * classes.
 */
export function listSettledRns(branch: Branch, upTo: number): string[] {
	const rns: string[] = [];
	for (const { rnFormat, chainIndex } of branch.layout.levels) {
		const node = chainIndex === undefined || chainIndex > upTo ? undefined : branch.chain[chainIndex];
		const rn = buildRn(rnFormat, node ? collectEqualities(node) : new Map());
		if (rn === undefined) break;
		rns.push(rn);
	}
	return rns;
}

/** Whether any of the settled RNs has a naming value, unlike `uni` or `infra`. */
export const hasNamingValue = (branch: Branch, settled: number): boolean =>
	branch.layout.levels.slice(0, settled).some(({ rnFormat }) => listNamingProperties(rnFormat).length > 0);

function collectEqualities(node: ChainNode): Map<string, string> {
	const values = new Map<string, string>();
	for (const expr of node.filters) {
		if (expr.op === "eq" && !values.has(expr.property)) values.set(expr.property, expr.value);
	}
	return values;
}

/** Filters that the settled DN does not imply. */
export function listResidualFilters(branch: Branch, index: number): FilterExpr[] {
	const node = branch.chain[index];
	if (node === undefined) return [];
	const naming = new Set(
		listNamingProperties(branch.layout.levels[getLevel(branch.layout, index) ?? -1]?.rnFormat ?? ""),
	);
	const values = collectEqualities(node);
	return node.filters.filter(
		(expr) => !(expr.op === "eq" && naming.has(expr.property) && values.get(expr.property) === expr.value),
	);
}

/**
 * Indices in the chain, before the last, whose objects must be queried first: those with injected
 * values, and those whose filters neither settle a DN nor can be checked on the DNs below. Below a
 * gate, classes are queried under the DNs found, so settled DNs no longer help there.
 */
export function getGates(branch: Branch, inputs: readonly (readonly StageInput[])[], force?: Strategy): number[] {
	const last = branch.chain.length - 1;
	const gates: number[] = [];
	for (const [i, node] of branch.chain.slice(0, -1).entries()) {
		if ((inputs[i] ?? []).length > 0 || isGate(branch, node, i, last, gates.length > 0, force)) gates.push(i);
	}
	return gates;
}

function isGate(
	branch: Branch,
	node: ChainNode,
	i: number,
	last: number,
	gated: boolean,
	force: Strategy | undefined,
): boolean {
	const level = getLevel(branch.layout, i);
	if (node.filters.length === 0) return level === undefined && branch.layout.implied[last] !== true;
	if (force === "join") return true;
	const settled = !gated && force !== "class" && level !== undefined && listSettledRns(branch, i).length > level;
	if (settled) return listResidualFilters(branch, i).length > 0;
	return findPushedFilters(branch.layout, node, i) === undefined;
}

/**
 * Classes between the step before and this one whose filters can be checked on the DN, below the
 * settled levels.
 */
export function listPushedBetween(branch: Branch, above: number, at: number, settled: number): Pushed[] {
	return branch.chain.slice(above + 1, at).flatMap((node, offset) => {
		const i = above + 1 + offset;
		const level = getLevel(branch.layout, i);
		return level === undefined || level < settled ? [] : (findPushedFilters(branch.layout, node, i) ?? []);
	});
}
