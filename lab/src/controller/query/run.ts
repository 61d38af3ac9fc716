/**
 * Executes a query in the controller's order: scope, target classes, filter, `required`, sorting,
 * totalCount, page, nesting, projection. `totalCount` counts all matches.
 */
import { getParentDn } from "../dn.ts";
import { buildTooBigError } from "../errors.ts";
import type { Registry } from "../model/registry.ts";
import type { ClassInfo } from "../model/types.ts";
import { createPermutation, createRandom, hashText } from "../random.ts";
import { type Mo, makeMo, makeShape, readValue, type Shape, walkTree } from "../store/mo.ts";
import type { Store } from "../store/store.ts";
import { createFacets } from "./facets.ts";
import { ANSWER_LIMIT, createNester, type Nester, type ResultNode } from "./nest.ts";
import type { Query } from "./options.ts";
import { isByDn, sortBy } from "./order.ts";
import { parseTime } from "./values.ts";

/** Scope of a query: one object, or a class in the whole fabric or below one object. */
export type Scope =
	| { readonly kind: "mo"; readonly dn: string }
	| { readonly kind: "class"; readonly cls: string; readonly within: string | null }
	| { readonly kind: "list"; readonly mos: readonly Mo[]; readonly key: string };

export interface Answer {
	readonly total: number;
	readonly nodes: readonly ResultNode[];
	/** Objects nested below the results. */
	readonly nested: number;
}

export interface QueryRunner {
	/** @throws ApiError 400 when the answer would hold more than 100,000 objects */
	run(scope: Scope, query: Query): Answer;
	/** Everything that matched, in no order: what a subscription watches. */
	matches(scope: Scope, query: Query): readonly Mo[];
}

export interface QueryRunnerOptions {
	readonly store: Store;
	readonly registry: Registry;
	readonly seed: number;
	/** Order of pages without `order-by`: random as on the real controller, or as stored. */
	readonly shuffles: () => boolean;
	/** Count before `required` drops results. */
	readonly countsBeforeRequired: () => boolean;
}

/** Matched lists kept for the next page of the same query, while nothing changes. */
const KEPT_LISTS = 16;

/** The options of a query runner, and its cache of matches. */
interface RunnerState extends QueryRunnerOptions {
	readonly facets: ReturnType<typeof createFacets>;
	readonly kept: Map<string, { readonly revision: number; readonly mos: readonly Mo[]; readonly total: number }>;
	unordered: number;
}

/** The objects in scope. A single class without conditions is the store's own list, uncopied. */
function listCandidates(runner: RunnerState, scope: Scope, query: Query): readonly Mo[] {
	const byDn = isByDn(query.order);
	if (scope.kind === "list") return scope.mos;
	if (scope.kind === "mo") {
		const mo = scope.dn === "" ? createRoot(runner) : (runner.store.find(scope.dn) ?? countFaultsAt(runner, scope.dn));
		return mo === undefined ? [] : listTargets([mo], query, query.targetClasses);
	}
	const classes = new Set(runner.registry.concrete(scope.cls).map((cls) => cls.name));
	// On a class query the target classes are added to the class, unless a subtree is asked for.
	if (query.target === "self" && query.targetClasses !== null) for (const cls of query.targetClasses) classes.add(cls);
	const found =
		scope.within === null ? listOfClasses(runner, classes, byDn) : listObjectsBelow(runner, scope.within, classes);
	return query.target === "self" ? found : listTargets(found, query, query.targetClasses);
}

/** Every object counts the faults below it in `fltCnts`, which is not stored. */
function countFaultsAt(runner: RunnerState, dn: string): Mo | undefined {
	const counted = dn.endsWith("/fltCnts") ? runner.store.find(getParentDn(dn)) : undefined;
	return counted === undefined ? undefined : runner.facets.faultCounts(counted);
}

/** The object without a name, which holds the roots. */
function createRoot(runner: RunnerState): Mo {
	const cls = runner.registry.learn("topRoot", {}, { rn: null, posted: false });
	const mo = makeMo(shapeConstant(cls, []), null, "", []);
	mo.kids = [...runner.store.roots()];
	return mo;
}

function listOfClasses(runner: RunnerState, classes: ReadonlySet<string>, byDn: boolean): readonly Mo[] {
	const lists = [...classes]
		.map((name) => (byDn ? runner.store.ofClassByDn(name) : runner.store.ofClass(name)))
		.filter((list) => list.length > 0);
	return lists.length === 1 ? (lists[0] ?? []) : lists.flat();
}

function listObjectsBelow(runner: RunnerState, dn: string, classes: ReadonlySet<string>): Mo[] {
	const found: Mo[] = [];
	const root = runner.store.find(dn);
	if (root !== undefined)
		walkTree(root, (mo) => (classes.has(mo.shape.cls?.name ?? "") ? void found.push(mo) : undefined));
	return found;
}

/** Applies `query-target`; statistics and health come only when their class is named. */
function listTargets(from: readonly Mo[], query: Query, classes: ReadonlySet<string> | null): Mo[] {
	const found = new Set<Mo>();
	const take = (mo: Mo) => {
		const { cls } = mo.shape;
		// A placeholder is no result, but it may be where statistics of a loaded answer hang.
		if (cls === null) return query.include.noScoped && query.target === "self" ? void found.add(mo) : undefined;
		const hidden = query.target !== "self" && (cls.facet === "stats" || cls.facet === "health");
		if (classes === null ? !hidden : classes.has(cls.name)) found.add(mo);
		return undefined;
	};
	for (const mo of from) {
		if (query.target === "self") take(mo);
		else if (query.target === "children") for (const kid of mo.kids ?? []) take(kid);
		else walkTree(mo, take);
	}
	return [...found];
}

function matchObjects(runner: RunnerState, scope: Scope, query: Query, nester: Nester): readonly Mo[] {
	let found = listCandidates(runner, scope, query);
	const { filter, timeRange, include } = query;
	if (filter !== null) found = found.filter(filter);
	if (include.noScoped) found = nester.flat(found);
	if (timeRange !== null) found = found.filter((mo) => isInRange(mo, timeRange));
	return found;
}

function orderObjects(runner: RunnerState, found: readonly Mo[], scope: Scope, query: Query): readonly Mo[] {
	if (query.order.length === 0) return found;
	const single = scope.kind === "class" && scope.within === null ? runner.registry.concrete(scope.cls) : [];
	const asStored =
		single.length === 1 && query.target === "self" && query.targetClasses === null && !query.include.noScoped;
	return asStored && isByDn(query.order) ? found : sortBy(found, query.order, runner.registry);
}

/**
 * An answer that is not paged keeps the order of the store. Ordering by a class that no result
 * can be of orders nothing.
 */
function isOrdered(runner: RunnerState, scope: Scope, query: Query): boolean {
	if (query.page === null) return true;
	if (query.order.length === 0) return !runner.shuffles();
	if (scope.kind !== "class" || query.target !== "self" || query.targetClasses !== null || query.include.noScoped)
		return true;
	return runner.registry
		.concrete(scope.cls)
		.some((cls) => query.order.some((key) => runner.registry.isA(cls, key.cls)));
}

function findCachedMatches(
	runner: RunnerState,
	scope: Scope,
	query: Query,
	nester: Nester,
): { readonly mos: readonly Mo[]; readonly total: number } {
	const key = `${getKey(scope, query)}\n${runner.countsBeforeRequired()}`;
	const known = runner.kept.get(key);
	if (known !== undefined && known.revision === runner.store.revision()) return known;
	const found = matchObjects(runner, scope, query, nester);
	const required =
		query.include.required && !query.include.noScoped && nester.active ? found.filter((mo) => nester.keeps(mo)) : found;
	const mos = orderObjects(runner, required, scope, query);
	const total = runner.countsBeforeRequired() ? found.length : mos.length;
	if (runner.kept.size >= KEPT_LISTS) runner.kept.delete(runner.kept.keys().next().value ?? "");
	runner.kept.delete(key);
	const entry = { revision: runner.store.revision(), mos, total };
	runner.kept.set(key, entry);
	return entry;
}

/** Without `order-by` each page has an order of its own, so pages miss and repeat objects. */
function pickPage(runner: RunnerState, mos: readonly Mo[], scope: Scope, query: Query): Mo[] {
	const { page } = query;
	const from = page === null ? 0 : page.at * page.size;
	const to = page === null ? mos.length : Math.min(from + page.size, mos.length);
	if (to - from > ANSWER_LIMIT) throw buildTooBigError();
	if (isOrdered(runner, scope, query)) return mos.slice(from, to);
	const random = createRandom(hashText(`${getKey(scope, query)}#${page?.at ?? 0}#${runner.unordered++}`, runner.seed));
	const place = createPermutation(mos.length, random);
	const picked: Mo[] = [];
	for (let at = from; at < to; at++) {
		const mo = mos[place(at)];
		if (mo !== undefined) picked.push(mo);
	}
	return picked;
}

function runQuery(runner: RunnerState, scope: Scope, query: Query): Answer {
	const nester = createNester(query, runner.facets);
	const { mos, total } = findCachedMatches(runner, scope, query, nester);
	if (query.include.count) return { total: 1, nodes: [countNode(total, runner.registry)], nested: 0 };
	const picked = pickPage(runner, mos, scope, query);
	const nodes: ResultNode[] = [];
	for (const mo of picked) {
		nodes.push(nester.node(mo));
		if (nodes.length + nester.nested() > ANSWER_LIMIT) throw buildTooBigError();
	}
	return { total, nodes, nested: nester.nested() };
}

export function createQueryRunner({
	store,
	registry,
	seed,
	shuffles,
	countsBeforeRequired,
}: QueryRunnerOptions): QueryRunner {
	const facets = createFacets(store, registry);
	const runner: RunnerState = {
		store,
		registry,
		facets,
		shuffles,
		countsBeforeRequired,
		kept: new Map(),
		unordered: 0,
		seed,
	};

	return {
		matches: (scope, query) => matchObjects(runner, scope, query, createNester(query, facets)),
		run: (scope, query) => runQuery(runner, scope, query),
	};
}

function getKey(scope: Scope, query: Query): string {
	const where =
		scope.kind === "mo" ? scope.dn : scope.kind === "class" ? `${scope.within ?? ""}:${scope.cls}` : scope.key;
	const range = query.timeRange === null ? "" : `${query.timeRange.from}-${query.timeRange.to}`;
	const classes = query.targetClasses === null ? "*" : [...query.targetClasses].join();
	return [scope.kind, where, query.target, classes, query.filterText, query.subtreeKey, query.orderText, range].join(
		"\n",
	);
}

/**
 * `time-range` compares the creation time of a record or the end of a statistics interval. Other
 * objects stay.
 */
function isInRange(mo: Mo, range: { readonly from: number; readonly to: number }): boolean {
	const facet = mo.shape.cls?.facet;
	if (facet === undefined || facet === "plain" || facet === "health" || facet === "faults") return true;
	const at = parseTime(readValue(mo, facet === "stats" ? "repIntvEnd" : "created") ?? "never");
	return at >= range.from && at <= range.to;
}

function countNode(count: number, registry: Registry): ResultNode {
	const shape = shapeConstant(registry.find("moCount") ?? null, ["count"]);
	return { mo: makeMo(shape, null, "", [String(count)]), place: "top", children: null };
}

/** A shape of an object that is not stored. */
function shapeConstant(cls: ClassInfo | null, varying: readonly string[]): Shape {
	const constants = ["childAction", "status"];
	return makeShape(cls, [...constants, ...varying], new Map(constants.map((name) => [name, ""])));
}
