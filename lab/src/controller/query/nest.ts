/** Objects nested under a result: `rsp-subtree`, its classes and filter, and facets. */
import { isWithin } from "../dn.ts";
import { tooBig } from "../errors.ts";
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

export function createNester(query: Query, facets: Facets): Nester {
	const { include, subtree, subtreeClasses, subtreeFilter } = query;
	const withFacets = include.facets.size > 0;
	const withRecords = hasRecords(include.facets);
	const deep = subtree === "full" || (withFacets && include.subtree);
	const statsOnNode = new Map<string, boolean>();
	let nested = 0;

	function isWanted(mo: Mo, anyClass = false): boolean {
		const { cls } = mo.shape;
		if (cls === null) return false;
		if (subtreeClasses !== null && !subtreeClasses.has(cls.name) && !anyClass) return false;
		return subtreeFilter === null || subtreeFilter(mo);
	}

	/** Faults, health and statistics show up only when a facet or the class list names them. */
	function inView(mo: Mo): boolean {
		const { cls } = mo.shape;
		if (cls === null) return false;
		if (withFacets && facets.shows(cls, include.facets)) return true;
		return subtree !== "no" && (cls.facet === "plain" || subtreeClasses?.has(cls.name) === true);
	}

	/** Matching children with their ancestors: a nested object has no DN, only its position. */
	function nestChildren(mo: Mo): ResultNode[] {
		const kept: ResultNode[] = [];
		const unfiltered = ignoresClasses(mo);
		for (const kid of mo.kids ?? []) {
			const below = deep && kid.kids !== null ? nestChildren(kid) : [];
			const self = inView(kid) && isWanted(kid, unfiltered && kid.shape.cls?.facet === "stats");
			if (!self && (below.length === 0 || kid.shape.cls === null)) continue;
			if (++nested > ANSWER_LIMIT) throw tooBig();
			kept.push({ mo: kid, place: "nested", children: below.length === 0 ? null : below });
		}
		return kept;
	}

	/**
	 * A switch whose release lacks all requested statistics classes ignores the class list and
	 * returns all its statistics.
	 */
	function ignoresClasses(mo: Mo): boolean {
		if (subtreeClasses === null || !include.facets.has("stats") || mo.kids === null) return false;
		const stats = mo.kids.filter((kid) => kid.shape.cls?.facet === "stats");
		if (stats.length === 0 || stats.some((kid) => subtreeClasses.has(kid.shape.cls?.name ?? ""))) return false;
		const node = getNode(mo);
		if (node === null) return false;
		const name = getDn(node);
		let has = statsOnNode.get(name);
		if (has === undefined) {
			has = false;
			walkTree(node, (below) => {
				if (subtreeClasses.has(below.shape.cls?.name ?? "")) has = true;
				return has ? false : undefined;
			});
			statsOnNode.set(name, has);
		}
		return !has;
	}

	function listExtras(mo: Mo): ResultNode[] {
		const found: ResultNode[] = [];
		if (include.facets.has("fault-count")) found.push({ mo: facets.faultCounts(mo), place: "nested", children: null });
		// Records are not children in the tree, so they keep their own DN.
		if (withRecords)
			for (const record of facets.records(mo, include.facets, include.subtree))
				if (isWanted(record)) found.push({ mo: record, place: "top", children: null });
		nested += found.length;
		if (nested > ANSWER_LIMIT) throw tooBig();
		return found;
	}

	const active = subtree !== "no" || withFacets;

	function buildNode(mo: Mo): ResultNode {
		if (!active || include.noScoped) return { mo, place: "top", children: null };
		const kids = [...(mo.kids === null ? [] : nestChildren(mo)), ...(withFacets ? listExtras(mo) : [])];
		return { mo, place: "top", children: kids.length === 0 ? null : kids };
	}

	/**
	 * With facets, plain children satisfy `required` only if the query names their classes or
	 * filters.
	 */
	function isCounted(found: ResultNode): boolean {
		const cls = found.mo.shape.cls;
		if (!withFacets || subtreeClasses !== null || subtreeFilter !== null) return true;
		return (
			(cls !== null && (cls.facet !== "plain" || facets.shows(cls, include.facets))) ||
			(found.children ?? []).some(isCounted)
		);
	}

	return {
		active,
		node: buildNode,
		nested: () => nested,
		keeps(mo) {
			const before = nested;
			const kept = (buildNode(mo).children ?? []).some(isCounted);
			nested = before;
			return kept;
		},
		flat(mos) {
			const found = new Set<Mo>();
			const take = (mo: Mo) => {
				const { cls } = mo.shape;
				if (cls !== null && withFacets && facets.shows(cls, include.facets) && isWanted(mo)) found.add(mo);
			};
			for (const mo of mos) {
				if (include.subtree) {
					walkTree(mo, (below) => {
						if (below !== mo) take(below);
						return undefined;
					});
				} else for (const kid of mo.kids ?? []) take(kid);
				if (include.facets.has("fault-count")) found.add(facets.faultCounts(mo));
			}
			if (withRecords)
				for (const record of facets.recordsOfMany(mos, include.facets, include.subtree))
					if (isWanted(record)) found.add(record);
			return [...found];
		},
	};
}

/** The switch or controller an object is on. */
function getNode(mo: Mo): Mo | null {
	for (let at: Mo | null = mo; at !== null; at = at.parent) {
		if (at.rn.startsWith("node-") && isWithin(getDn(at), "topology")) return at;
	}
	return null;
}
