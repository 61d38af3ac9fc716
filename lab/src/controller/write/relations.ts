/** Named relations: where a name leads, and the back-relation the target carries. */
import { buildRn } from "../dn.ts";
import type { Registry } from "../model/registry.ts";
import type { RelationInfo } from "../model/types.ts";
import { dnOf, type Mo, readValue } from "../store/mo.ts";
import type { Store } from "../store/store.ts";

export interface Target {
	readonly mo: Mo | undefined;
	/** The values a relation shows for its target. */
	readonly values: ReadonlyMap<string, string>;
}

/** Looks for the name in the object's own tenant, then in the common one, as the controller does. */
export function resolveTarget(
	relation: RelationInfo,
	name: string,
	from: string,
	store: Store,
	registry: Registry,
): Target {
	const cls = registry.find(relation.target);
	const rn = cls === undefined ? null : buildRn(cls.rn, () => name);
	if (rn === null)
		return {
			mo: undefined,
			values: new Map([
				["state", "missing-target"],
				["tDn", ""],
				["tRn", ""],
				["tContextDn", ""],
			]),
		};
	const tenant = /^uni\/tn-[^/]+/.exec(from)?.[0] ?? "uni/tn-common";
	for (const context of [tenant, "uni/tn-common"]) {
		const mo = store.get(`${context}/${rn}`);
		if (mo !== undefined)
			return {
				mo,
				values: new Map([
					["state", "formed"],
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
			["tCl", relation.target],
			["tDn", ""],
			["tRn", rn],
			["tContextDn", tenant],
		]),
	};
}

/** The back-relation of a relation, when it exists. */
export function backOf(mo: Mo, store: Store, registry: Registry): Mo | undefined {
	const relation = mo.shape.cls?.relation;
	const back = relation?.back === undefined || relation.back === null ? undefined : registry.find(relation.back);
	const target = readValue(mo, "tDn") ?? "";
	if (back === undefined || target === "" || mo.parent === null) return undefined;
	const source = dnOf(mo.parent);
	return store.get(`${target}/${buildRn(back.rn, () => source) ?? ""}`);
}
