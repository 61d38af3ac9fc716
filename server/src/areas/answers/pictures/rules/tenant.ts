/** Draws the policy of a tenant: VRFs, bridge domains, EPGs, and the contracts between them. */
import type { PictureEdgeKind, PictureNodeKind } from "@weft/contracts";
import { getParentDn, splitDn } from "../../find/rules/dn.ts";
import {
	buildNamedNode,
	buildNode,
	compareNames,
	type Drawing,
	type DrawnEdge,
	type DrawnNode,
	type PictureObject,
	pickFacts,
} from "./drawing.ts";

const KINDS: Readonly<Record<string, PictureNodeKind>> = {
	fvCtx: "vrf",
	fvBD: "bridge_domain",
	fvAEPg: "epg",
	l3extInstP: "external",
	vzBrCP: "contract",
};
const FACTS = ["descr", "nameAlias", "scope", "pcEnfPref", "unicastRoute", "prefGrMemb", "configIssues"];

/** Kinds of the ends of relations, by the beginning of their relative names. */
const BEGINNINGS: readonly (readonly [string, PictureNodeKind])[] = [
	["ctx-", "vrf"],
	["BD-", "bridge_domain"],
	["instP-", "external"],
	["brc-", "contract"],
];

interface RelationClass {
	readonly kind: PictureEdgeKind;
	/** The attribute with the name of the target. */
	readonly named: string;
	/** The beginning of the target's relative name. */
	readonly beginning: string;
}

const RELATIONS: Readonly<Record<string, RelationClass>> = {
	fvRsCtx: { kind: "in_vrf", named: "tnFvCtxName", beginning: "ctx-" },
	fvRsBd: { kind: "in_bridge_domain", named: "tnFvBDName", beginning: "BD-" },
	fvRsProv: { kind: "provides", named: "tnVzBrCPName", beginning: "brc-" },
	fvRsCons: { kind: "consumes", named: "tnVzBrCPName", beginning: "brc-" },
	l3extRsEctx: { kind: "in_vrf", named: "tnFvCtxName", beginning: "ctx-" },
	vzRsAnyToProv: { kind: "provides", named: "tnVzBrCPName", beginning: "brc-" },
	vzRsAnyToCons: { kind: "consumes", named: "tnVzBrCPName", beginning: "brc-" },
};

const TENANT = /^uni\/tn-([^/]+)/;

/** Finds the tenant of a DN; null if it belongs to none. */
const findTenantName = (dn: string): string | null => TENANT.exec(dn)?.[1] ?? null;

/** Lists the tenants of the objects by name. */
export function listTenants(objects: readonly PictureObject[]): string[] {
	const names = new Set<string>();
	for (const { dn, isGone } of objects) {
		const name = isGone ? null : findTenantName(dn);
		if (name !== null) names.add(name);
	}
	return [...names].sort(compareNames);
}

/** Finds the tenant with the most objects, among equals the first by name; null without objects. */
export function findLargestTenant(objects: readonly PictureObject[]): string | null {
	const counts = new Map<string, number>();
	for (const { dn, isGone } of objects) {
		const name = isGone ? null : findTenantName(dn);
		if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	const [largest] = [...counts].sort((a, b) => b[1] - a[1] || compareNames(a[0], b[0]));
	return largest?.[0] ?? null;
}

/**
 * Draws the objects of a tenant, and objects of others that a relation joins with them.
 * @param objects objects of all tenants; those of other classes are left out
 */
export function drawTenant(objects: readonly PictureObject[], tenant: string): Drawing {
	const known = new Map(objects.map((object) => [object.dn, object]));
	const nodes = new Map<string, DrawnNode>();
	const addNode = (dn: string): void => {
		if (!nodes.has(dn)) nodes.set(dn, drawNode(dn, known.get(dn), tenant));
	};
	for (const { dn, className } of objects)
		if (KINDS[className] !== undefined && findTenantName(dn) === tenant) addNode(dn);
	const networks = groupNetworks(objects);
	const edges: DrawnEdge[] = [];
	for (const object of objects)
		for (const edge of readRelations(object, known, networks)) {
			if (findTenantName(edge.from) !== tenant && !isOwnContract(edge.to, tenant)) continue;
			addNode(edge.from);
			addNode(edge.to);
			edges.push(edge);
		}
	return { nodes: [...nodes.values()], edges };
}

/** Groups external networks by the DN of their L3Out. */
function groupNetworks(objects: readonly PictureObject[]): ReadonlyMap<string, readonly string[]> {
	const networks = new Map<string, string[]>();
	for (const { dn, className } of objects) {
		const out = className === "l3extInstP" ? getParentDn(dn) : null;
		if (out !== null) networks.set(out, [...(networks.get(out) ?? []), dn]);
	}
	return networks;
}

/** Whether a DN is a contract of the tenant, which other tenants may provide and consume. */
const isOwnContract = (dn: string, tenant: string): boolean =>
	findTenantName(dn) === tenant && findKind(dn, undefined) === "contract";

function drawNode(dn: string, object: PictureObject | undefined, tenant: string): DrawnNode {
	const kind = findKind(dn, object);
	const owner = findTenantName(dn);
	const other = owner === tenant ? null : owner;
	if (object === undefined || KINDS[object.className] === undefined) return buildNamedNode(dn, kind, other);
	return buildNode(object, { kind, state: null, facts: pickFacts(object, FACTS), tenant: other });
}

function findKind(dn: string, object: PictureObject | undefined): PictureNodeKind {
	const kind = object && KINDS[object.className];
	if (kind !== undefined) return kind;
	const last = splitDn(dn).at(-1) ?? "";
	return BEGINNINGS.find(([beginning]) => last.startsWith(beginning))?.[1] ?? "epg";
}

/** Returns the edges of a relation; none for other objects, and for a relation without a target. */
function readRelations(
	object: PictureObject,
	known: ReadonlyMap<string, PictureObject>,
	networks: ReadonlyMap<string, readonly string[]>,
): DrawnEdge[] {
	const { dn, className, attributes, isGone } = object;
	const relation = RELATIONS[className];
	const parent = getParentDn(dn);
	const to = relation === undefined ? null : findTarget(object, relation, known);
	if (relation === undefined || parent === null || to === null) return [];
	const isResolved = attributes.state !== "missing-target" && (Boolean(attributes.tDn) || known.has(to));
	return listSources(className, parent, networks).map((from) => ({
		dn,
		className,
		kind: relation.kind,
		from,
		to,
		label: "",
		state: isResolved || isGone ? null : "failed",
		isGone,
	}));
}

/** Lists the DNs at which the edges of a relation begin. */
function listSources(
	className: string,
	parent: string,
	networks: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
	// An L3Out names the VRF of its external networks.
	if (className === "l3extRsEctx") return networks.get(parent) ?? [];
	// The object `vzAny` of a VRF stands for all of its EPGs.
	if (!className.startsWith("vzRsAny")) return [parent];
	const vrf = getParentDn(parent);
	return vrf === null ? [] : [vrf];
}

/**
 * Finds the target by its DN, or by its name if the controller found none: in the same tenant, else
 * in `common`. Null if the relation has neither.
 */
function findTarget(
	{ dn, attributes }: PictureObject,
	{ named, beginning }: RelationClass,
	known: ReadonlyMap<string, PictureObject>,
): string | null {
	if (attributes.tDn) return attributes.tDn;
	const name = attributes[named];
	const tenant = findTenantName(dn);
	if (!name || tenant === null) return null;
	const own = `uni/tn-${tenant}/${beginning}${name}`;
	const common = `uni/tn-common/${beginning}${name}`;
	return !known.has(own) && known.has(common) ? common : own;
}
