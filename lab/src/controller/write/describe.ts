/** Changes as a write answers them. */
import type { Change } from "../changes.ts";
import { getDn } from "../store/mo.ts";
import { listAttributes } from "../store/text.ts";
import type { TreeNode } from "../tree.ts";

/** Health is observed, although it comes and goes with its object. */
export function isConfiguration({ mo }: Change): boolean {
	return mo.shape.cls?.facet === "plain";
}

/**
 * Changes as `rsp-subtree=modified` answers them: a created object with all its attributes, of a
 * modified one the changed ones, of a deleted one the DN.
 */
export function describeChanges(changes: readonly Change[]): TreeNode[] {
	return changes.filter(isConfiguration).map(({ kind, mo, values }) => {
		const shown = kind === "created" ? listAttributes(mo, "top", "all") : values;
		return {
			cls: mo.shape.cls?.name ?? "",
			attributes: { ...Object.fromEntries(shown), dn: getDn(mo), status: kind },
		};
	});
}
