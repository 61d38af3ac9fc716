/** Objects nested under a result: `rsp-subtree`, its classes and filter, and facets. */
import { isWithin } from "../dn.ts";
import { buildTooBigError } from "../errors.ts";
import { getDn, type Mo, walkTree } from "../store/mo.ts";
import type { Place } from "../store/text.ts";
import { type Facets, hasRecords } from "./facets.ts";
import type { Query } from "./options.ts";

export interface ResultNode {
	readonly mo: Mo;
	readonly place: Place;
	readonly children: readonly ResultNode[] | null;
}

/** Objects in one answer, nested ones counted; above it the controller refuses. */
export const ANSWER_LIMIT = 100_000;

export interface Nester {
	/** True when results of this query nest anything. */
	readonly active: boolean;
	node(mo: Mo): ResultNode;
	/** True when `required` keeps the object. */
	keeps(mo: Mo): boolean;
	/** The facets' objects themselves, for `no-scoped`. */
	flat(mos: readonly Mo[]): Mo[];
	/** Objects nested so far. */
	nested(): number;
}

/** A query and its limits while children are nested into its results. */
interface NesterState {
	readonly query: Query;
	readonly withFacets: boolean;
	readonly facets: Facets;
	readonly deep: boolean;
	nested: number;
	readonly statsOnNode: Map<string, boolean>;
	readonly withRecords: boolean;
	readonly active: boolean;
}

function isWanted(nester: NesterState, mo: Mo, anyClass = false): boolean {
	const { cls } = mo.shape;
	if (cls === null) return false;
	if (nester.query.subtreeClasses !== null && !nester.query.subtreeClasses.has(cls.name) && !anyClass) return false;
	return nester.query.subtreeFilter === null || nester.query.subtreeFilter(mo);
}

/** Faults, health and statistics show up only when a facet or the class list names them. */
function isInView(nester: NesterState, mo: Mo): boolean {
	const { cls } = mo.shape;
	if (cls === null) return false;
	if (nester.withFacets && nester.facets.shows(cls, nester.query.include.facets)) return true;
	return (
		nester.query.subtree !== "no" && (cls.facet === "plain" || nester.query.subtreeClasses?.has(cls.name) === true)
	);
}

/** Matching children with their ancestors: a nested object has no DN, only its position. */
function nestChildren(nester: NesterState, mo: Mo): ResultNode[] {
	const kept: ResultNode[] = [];
	const unfiltered = ignoresClasses(nester, mo);
	for (const kid of mo.kids ?? []) {
		const below = nester.deep && kid.kids !== null ? nestChildren(nester, kid) : [];
		const self = isInView(nester, kid) && isWanted(nester, kid, unfiltered && kid.shape.cls?.facet === "stats");
		if (!self && (below.length === 0 || kid.shape.cls === null)) continue;
		if (++nester.nested > ANSWER_LIMIT) throw buildTooBigError();
		kept.push({ mo: kid, place: "nested", children: below.length === 0 ? null : below });
	}
	return kept;
}

/**
 * A switch whose release lacks all requested statistics classes ignores the class list and
 * returns all its statistics.
 */
function ignoresClasses(nester: NesterState, mo: Mo): boolean {
	const { subtreeClasses, include } = nester.query;
	if (subtreeClasses === null || !include.facets.has("stats") || mo.kids === null) return false;
	const stats = mo.kids.filter((kid) => kid.shape.cls?.facet === "stats");
	if (stats.length === 0 || stats.some((kid) => subtreeClasses.has(kid.shape.cls?.name ?? ""))) return false;
	const node = getNode(mo);
	if (node === null) return false;
	const name = getDn(node);
	let has = nester.statsOnNode.get(name);
	if (has === undefined) {
		has = false;
		walkTree(node, (below) => {
			if (subtreeClasses.has(below.shape.cls?.name ?? "")) has = true;
			return has ? false : undefined;
		});
		nester.statsOnNode.set(name, has);
	}
	return !has;
}

function listExtras(nester: NesterState, mo: Mo): ResultNode[] {
	const found: ResultNode[] = [];
	if (nester.query.include.facets.has("fault-count"))
		found.push({ mo: nester.facets.faultCounts(mo), place: "nested", children: null });
	// Records are not children in the tree, so they keep their own DN.
	if (nester.withRecords)
		for (const record of nester.facets.records(mo, nester.query.include.facets, nester.query.include.subtree))
			if (isWanted(nester, record)) found.push({ mo: record, place: "top", children: null });
	nester.nested += found.length;
	if (nester.nested > ANSWER_LIMIT) throw buildTooBigError();
	return found;
}

function buildNode(nester: NesterState, mo: Mo): ResultNode {
	if (!nester.active || nester.query.include.noScoped) return { mo, place: "top", children: null };
	const kids = [
		...(mo.kids === null ? [] : nestChildren(nester, mo)),
		...(nester.withFacets ? listExtras(nester, mo) : []),
	];
	return { mo, place: "top", children: kids.length === 0 ? null : kids };
}

/**
 * With facets, plain children satisfy `required` only if the query names their classes or
 * filters.
 */
function isCounted(nester: NesterState, found: ResultNode): boolean {
	const cls = found.mo.shape.cls;
	if (!nester.withFacets || nester.query.subtreeClasses !== null || nester.query.subtreeFilter !== null) return true;
	return (
		(cls !== null && (cls.facet !== "plain" || nester.facets.shows(cls, nester.query.include.facets))) ||
		(found.children ?? []).some((found) => isCounted(nester, found))
	);
}

function keepsObject(nester: NesterState, mo: Mo): boolean {
	const before = nester.nested;
	const kept = (buildNode(nester, mo).children ?? []).some((found) => isCounted(nester, found));
	nester.nested = before;
	return kept;
}

function listFlat(nester: NesterState, mos: readonly Mo[]): Mo[] {
	const found = new Set<Mo>();
	const take = (mo: Mo) => {
		const { cls } = mo.shape;
		if (
			cls !== null &&
			nester.withFacets &&
			nester.facets.shows(cls, nester.query.include.facets) &&
			isWanted(nester, mo)
		)
			found.add(mo);
	};
	for (const mo of mos) {
		if (nester.query.include.subtree) {
			walkTree(mo, (below) => {
				if (below !== mo) take(below);
				return undefined;
			});
		} else for (const kid of mo.kids ?? []) take(kid);
		if (nester.query.include.facets.has("fault-count")) found.add(nester.facets.faultCounts(mo));
	}
	if (nester.withRecords)
		for (const record of nester.facets.recordsOfMany(mos, nester.query.include.facets, nester.query.include.subtree))
			if (isWanted(nester, record)) found.add(record);
	return [...found];
}

export function createNester(query: Query, facets: Facets): Nester {
	const { include, subtree } = query;
	const withFacets = include.facets.size > 0;

	const active = subtree !== "no" || withFacets;
	const nester: NesterState = {
		query,
		withFacets,
		facets,
		deep: subtree === "full" || (withFacets && include.subtree),
		nested: 0,
		statsOnNode: new Map(),
		withRecords: hasRecords(include.facets),
		active,
	};

	return {
		active,
		node: (mo) => buildNode(nester, mo),
		nested: () => nester.nested,
		keeps: (mo) => keepsObject(nester, mo),
		flat: (mos) => listFlat(nester, mos),
	};
}

/** The switch or controller an object is on. */
function getNode(mo: Mo): Mo | null {
	for (let at: Mo | null = mo; at !== null; at = at.parent) {
		if (at.rn.startsWith("node-") && isWithin(getDn(at), "topology")) return at;
	}
	return null;
}
