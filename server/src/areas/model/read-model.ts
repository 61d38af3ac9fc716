/**
 * The explorer's use cases: every answer comes from the loaded model alone. Without one lists are
 * empty, and no class is found.
 */
import {
	type ClassRef,
	type EnhancedSearch,
	HIERARCHY_NODES,
	type HierarchyNode,
	type Insights,
	type ModelStats,
	type PackageCount,
	type Related,
	type Relationships,
	type SearchHit,
	type Suggestions,
	type TreeNode,
} from "@weft/contracts";
import { buildNotFoundError } from "../../core/errors.ts";
import { getOffset, type PageQuery, paginateRows } from "../../core/http/paging.ts";
import type { Loaded } from "./loaded.ts";
import {
	presentBranch,
	presentDetail,
	presentHit,
	presentInsights,
	presentNode,
	presentRef,
	presentRelated,
	presentRelationships,
	type Window,
} from "./present.ts";
import { flag } from "./rules/flags.ts";
import { findTextsContaining } from "./rules/scan.ts";
import type { Kind } from "./rules/search.ts";
import { findContextRoots, findWayTo, getBranch, listChildren, listTopLevel } from "./rules/tree.ts";

type Maybe = Loaded | null;

/** A class with a document, or 404. */
export function getClass(loaded: Maybe, name: string): { loaded: Loaded; id: number } {
	if (loaded === null) throw buildNotFoundError("No class model is loaded. Import one on the page Model versions.");
	const id = loaded.model.find(name);
	if (id < 0) throw buildNotFoundError(`There is no class ${name} in the loaded model.`);
	if (!loaded.model.is(id, flag.published)) {
		throw buildNotFoundError(`The class ${name} is named by other classes of the model, but not published.`);
	}
	return { loaded, id };
}

const presentRefs = ({ model }: Loaded, ids: readonly number[]): ClassRef[] => ids.map((id) => presentRef(model, id));

/** Classes with a document, by name; of one package where it is given. */
function listPublishedClasses({ model }: Loaded, pkg: string | undefined): number[] {
	let [from, to] = [0, model.count];
	if (pkg !== undefined) {
		const at = model.image.u32("package.name").findIndex((id) => model.strings.text(id) === pkg);
		if (at < 0) return [];
		[from, to] = [model.image.u32("package.first")[at] ?? 0, (model.image.u32("package.last")[at] ?? -1) + 1];
	}
	const found: number[] = [];
	for (let id = from; id < to; id++) if (model.is(id, flag.published)) found.push(id);
	return found;
}

export function listPackages(loaded: Maybe): PackageCount[] {
	if (loaded === null) return [];
	const counts = loaded.model.image.u32("package.count");
	return loaded.search.packages.map((name, at) => ({ name, class_count: counts[at] ?? 0 }));
}

export function searchModel(
	loaded: Maybe,
	{ q, limit, type }: { q: string; limit: number; type?: Kind | undefined },
): { query: string; results: SearchHit[] } {
	const hits = loaded?.search.search(q, limit, type) ?? [];
	return {
		query: q,
		results: loaded === null ? [] : hits.map((hit) => presentHit(loaded.model, loaded.search.packages, hit)),
	};
}

export function readTree(
	loaded: Maybe,
	{ parent, include_common: common }: { parent?: string | undefined; include_common: boolean },
): TreeNode[] {
	if (parent === undefined && loaded === null) return [];
	const at = parent === undefined ? null : getClass(loaded, parent);
	if (loaded === null) return [];
	const ids = at === null ? listTopLevel(loaded.model, common) : listChildren(loaded.model, at.id, common);
	return ids.map((id) => presentNode(loaded.model, id, common));
}

export function readDetail(maybe: Maybe, name: string): Buffer {
	const { loaded, id } = getClass(maybe, name);
	const detail = presentDetail(loaded.model, id);
	if (detail === null) throw buildNotFoundError();
	return detail;
}

export function listDnFormats(maybe: Maybe, name: string, query: PageQuery, url: string) {
	const { loaded, id } = getClass(maybe, name);
	const rows = loaded.model.dns(id, getOffset(query), query.page_size);
	return paginateRows(url, query, { count: loaded.model.dnCount(id), rows }, (format) => format);
}

export function readInsights(maybe: Maybe, name: string): Insights {
	const { loaded, id } = getClass(maybe, name);
	return presentInsights(loaded.model, id);
}

export function readRelationships(maybe: Maybe, name: string, window: Window): Relationships {
	const { loaded, id } = getClass(maybe, name);
	return presentRelationships(loaded.model, id, window);
}

export function listAncestors(maybe: Maybe, name: string): (ClassRef & { rn_format: string })[] {
	const { loaded, id } = getClass(maybe, name);
	return findWayTo(loaded.model, id).map((at) => ({ ...presentRef(loaded.model, at), rn_format: loaded.model.rn(at) }));
}

export function readModelStats(loaded: Maybe): ModelStats {
	const meta = loaded?.model.meta;
	return {
		total_classes: meta?.classes ?? 0,
		total_properties: meta?.properties ?? 0,
		packages: meta?.packages ?? 0,
		relationship_count: meta?.relations ?? 0,
		last_sync: loaded?.version.imported_at.toISOString() ?? null,
		version: loaded?.version.version_key ?? null,
		label: loaded?.version.label ?? null,
	};
}

export function listClasses(loaded: Maybe, query: PageQuery & { package?: string | undefined }, url: string) {
	const all = loaded === null ? [] : listPublishedClasses(loaded, query.package);
	const rows = all.slice(getOffset(query), getOffset(query) + query.page_size);
	return paginateRows(
		url,
		query,
		{ count: all.length, rows: loaded === null ? [] : presentRefs(loaded, rows) },
		(ref) => ref,
	);
}

/** By name, those first whose name holds the text. */
export function findClassesContaining(loaded: Maybe, { q, limit }: { q: string; limit: number }): ClassRef[] {
	if (loaded === null) return [];
	const piece = Buffer.from(q.toLowerCase().replace(":", ""));
	const found = new Set(findTextsContaining(loaded.model.texts("find.name"), piece));
	for (const id of findTextsContaining(loaded.model.texts("find.label"), Buffer.from(q.toLowerCase()))) found.add(id);
	return presentRefs(loaded, [...found].slice(0, limit));
}

/** The best classes, by package; the package with the best one first. */
export function searchByPackage(loaded: Maybe, { q, limit }: { q: string; limit: number }): EnhancedSearch {
	const hits = loaded?.search.search(q, limit, "class") ?? [];
	const packages = new Map<string, SearchHit[]>();
	for (const hit of hits) {
		if (loaded === null) break;
		const pkg = loaded.model.pkg(hit.id);
		packages.set(pkg, [...(packages.get(pkg) ?? []), presentHit(loaded.model, loaded.search.packages, hit)]);
	}
	return {
		query: q,
		total: hits.length,
		packages: Array.from(packages, ([pkg, results]) => ({ package: pkg, count: results.length, results })),
	};
}

export const listContextRoots = (loaded: Maybe): ClassRef[] =>
	loaded === null ? [] : presentRefs(loaded, findContextRoots(loaded.model));

export function suggestClasses(loaded: Maybe, { q, limit }: { q: string; limit: number }): Suggestions {
	const found = loaded?.search.suggest(q, limit) ?? [];
	return {
		query: q,
		suggestions: found.flatMap(({ id, score, reason }) =>
			loaded === null ? [] : [{ ...presentRef(loaded.model, id), score: Math.round(score * 1000) / 1000, reason }],
		),
	};
}

export function readHierarchy(maybe: Maybe, name: string, depth: number): HierarchyNode {
	const { loaded, id } = getClass(maybe, name);
	return presentBranch(loaded.model, getBranch(loaded.model, id, depth, HIERARCHY_NODES));
}

export function readRelated(maybe: Maybe, name: string): Related {
	const { loaded, id } = getClass(maybe, name);
	return presentRelated(loaded.model, id);
}

export function listMatchingChildren(maybe: Maybe, parent: string, q: string): ClassRef[] {
	const { loaded, id } = getClass(maybe, parent);
	const wanted = q.toLowerCase();
	return presentRefs(loaded, listChildren(loaded.model, id, true)).filter(
		({ name, display_name }) => name.toLowerCase().includes(wanted) || display_name.toLowerCase().includes(wanted),
	);
}

export const listTopPackages = (loaded: Maybe, limit: number): PackageCount[] =>
	[...listPackages(loaded)].sort((a, b) => b.class_count - a.class_count || (a.name < b.name ? -1 : 1)).slice(0, limit);
