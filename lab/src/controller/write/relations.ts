/** Named relations: where a name leads, and the back-relation the target carries. */
import { buildRn, splitDn } from "../dn.ts";
import type { Registry } from "../model/registry.ts";
import type { RelationInfo } from "../model/types.ts";
import { getDn, type Mo, readValue } from "../store/mo.ts";
import type { Store } from "../store/store.ts";

export interface Target {
	readonly mo: Mo | undefined;
	/** The values a relation shows for its target. */
	readonly values: ReadonlyMap<string, string>;
}

/**
 * Resolves the name in the object's own tenant, then in the common tenant; below the access or the
 * fabric policies among those. Without a name the standard policy is the target, if there is one.
 */
export function resolveTarget(
	relation: RelationInfo,
	name: string,
	from: string,
	store: Store,
	registry: Registry,
): Target {
	if (name === "" && relation.standard !== undefined)
		return findStandardTarget(relation.target, relation.standard, store);
	const cls = registry.find(relation.target);
	const rn = cls === undefined ? null : buildRn(cls.rn, () => name);
	if (rn === null)
		return {
			mo: undefined,
			values: new Map([
				["state", "missing-target"],
				["stateQual", "none"],
				["tDn", ""],
				["tRn", ""],
				["tContextDn", ""],
			]),
		};
	const tenant = /^uni\/tn-[^/]+/.exec(from)?.[0] ?? "uni/tn-common";
	const instance = /^uni\/(infra|fabric)(?=\/)/.exec(from)?.[0];
	for (const context of instance === undefined ? [tenant, "uni/tn-common"] : [instance]) {
		const mo = store.get(`${context}/${rn}`);
		if (mo !== undefined)
			return {
				mo,
				values: new Map([
					["state", "formed"],
					["stateQual", "none"],
					["tCl", relation.target],
					["tDn", `${context}/${rn}`],
					["tRn", rn],
					["tContextDn", context],
				]),
			};
	}
	return {
		mo: undefined,
		values: new Map([
			["state", "missing-target"],
			["stateQual", "none"],
			["tCl", relation.target],
			["tDn", ""],
			["tRn", rn],
			["tContextDn", instance ?? tenant],
		]),
	};
}

function findStandardTarget(cls: string, dn: string, store: Store): Target {
	return {
		mo: store.get(dn),
		values: new Map([
			["state", "formed"],
			["stateQual", "default-target"],
			["tCl", cls],
			["tDn", dn],
			["tRn", splitDn(dn)?.at(-1) ?? ""],
			["tContextDn", ""],
		]),
	};
}

/** The back-relation of a relation, when it exists. */
export function findReverseRelation(mo: Mo, store: Store, registry: Registry): Mo | undefined {
	const relation = mo.shape.cls?.relation;
	const back = relation?.back === undefined || relation.back === null ? undefined : registry.find(relation.back);
	const target = readValue(mo, "tDn") ?? "";
	if (back === undefined || target === "" || mo.parent === null) return undefined;
	const source = getDn(mo.parent);
	return store.get(`${target}/${buildRn(back.rn, () => source) ?? ""}`);
}
