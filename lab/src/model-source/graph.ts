/**
 * The generated model as a graph: the simulated controller's own classes first, then synthetic
 * ones, all below one root. Size and seed determine the graph. It has cycles, classes that contain
 * themselves, classes that are named and never published, super classes without a document,
 * abstract classes, and relations with their counterparts.
 */
import { createRegistry } from "../controller/model/registry.ts";
import type { ClassInfo } from "../controller/model/types.ts";
import { createRandom } from "../controller/random.ts";
import { buildPackageNames, listClassWords } from "./words.ts";

interface Relation {
	readonly from: string;
	/** The class under the source: `fvRsCtx`. */
	readonly relation: string;
	readonly to: string;
	/** Its counterpart under the target: `fvRtCtx`. */
	readonly back: string;
	readonly named: boolean;
}

export interface Node {
	readonly name: string;
	readonly label: string;
	readonly rn: string;
	readonly naming: readonly string[];
	readonly abstract: boolean;
	readonly configurable: boolean;
	readonly contextRoot: boolean;
	/** Super classes, nearest first; the last ones have no document. */
	readonly supers: readonly string[];
	/** Classes that contain it and stand above it in the tree, so that following them ends. */
	readonly parents: string[];
	/** Classes that contain it and also stand below it: itself, or one of its descendants. */
	readonly loops: string[];
	readonly children: string[];
	readonly subs: string[];
	/** What it says of itself, when it is a relation. */
	relation: Relation | null;
	readonly relationsTo: Relation[];
	readonly relationsFrom: Relation[];
	/** Of the controller's own classes. */
	readonly info: ClassInfo | null;
	readonly serial: number;
}

export interface Graph {
	readonly nodes: ReadonlyMap<string, Node>;
	readonly root: string;
	/** Classes that stand under nearly every other. */
	readonly common: ReadonlySet<string>;
}

export const TOP = "topRoot";
/** Classes that the generated model names and nobody publishes. */
const UNPUBLISHED_SUPERS = ["moTopProps", "namingBase"];
const PACKAGE_SHARE = 80;
const SELF_CONTAINING = 9;

/** A graph that is being built. */
interface GraphState {
	/** Number of the next node. */
	serial: number;
	readonly nodes: Map<string, Node>;
	readonly size: number;
	readonly random: ReturnType<typeof createRandom>;
	readonly seed: number;
	/** Classes that every class contains; empty until they are added. */
	common: ReadonlySet<string>;
}

function addNode(graph: GraphState, given: Partial<Node> & Pick<Node, "name" | "label" | "rn">): Node {
	const node: Node = {
		naming: [...given.rn.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ""),
		abstract: false,
		configurable: false,
		contextRoot: false,
		supers: [],
		parents: [],
		loops: [],
		children: [],
		subs: [],
		relation: null,
		relationsTo: [],
		relationsFrom: [],
		info: null,
		serial: graph.serial++,
		...given,
	};
	graph.nodes.set(node.name, node);
	return node;
}

function linkNode(graph: GraphState, parent: string, child: Node) {
	if (child.parents.includes(parent)) return;
	child.parents.push(parent);
	graph.nodes.get(parent)?.children.push(child.name);
}

function relateNodes(graph: GraphState, relation: Relation) {
	graph.nodes.get(relation.from)?.relationsTo.push(relation);
	graph.nodes.get(relation.to)?.relationsFrom.push(relation);
	for (const name of [relation.relation, relation.back]) {
		const node = graph.nodes.get(name);
		if (node !== undefined) node.relation = relation;
	}
}

/** Adds the controller's own classes up to the size. Returns those that every class contains. */
function addOwn(graph: GraphState): ReadonlySet<string> {
	const registry = createRegistry();
	const known = [...registry.classes.values()].filter(
		({ open, name }) => !open && splitClassName(name) !== null && registry.concrete(name).some((cls) => cls.published),
	);
	const everywhere = known.filter(
		({ name, under, abstract }) => !abstract && under.length === 0 && /^(tag|fault|health)/.test(name),
	);
	const chosen = [...everywhere, ...groupByDepth(known.filter((cls) => !everywhere.includes(cls)))].slice(
		0,
		graph.size - 1,
	);
	for (const info of chosen) {
		addNode(graph, {
			name: info.name,
			label: info.label === info.name ? (splitClassName(info.name)?.[1] ?? info.name) : info.label,
			rn: info.abstract ? "" : info.rn.text,
			abstract: info.abstract,
			configurable: info.configurable,
			contextRoot: info.name === "fvTenant",
			supers: [...info.supers.filter((name) => splitClassName(name) !== null), ...UNPUBLISHED_SUPERS],
			info,
		});
	}
	const places = new Set(everywhere.map(({ name }) => name));
	for (const info of chosen) {
		const node = graph.nodes.get(info.name);
		if (node === undefined || info.abstract || places.has(info.name)) continue;
		const above = info.under.filter(
			(name) => graph.nodes.has(name) && name !== info.name && !isBelow(graph, name, info.name),
		);
		for (const name of above.length > 0 ? above : [TOP]) linkNode(graph, name, node);
	}
	for (const { name, relation, under } of chosen) {
		const back = relation === null ? null : (relation.back ?? `${name.replace(/Rs/, "Rt")}`);
		const from = under.find((parent) => graph.nodes.has(parent));
		if (relation === null || back === null || from === undefined || !graph.nodes.has(relation.target)) continue;
		relateNodes(graph, { from, relation: name, to: relation.target, back, named: relation.nameProp !== "tDn" });
	}
	return new Set(chosen.map(({ name }) => name).filter((name) => places.has(name)));
}

/** Whether `name` stands somewhere below `above`. */
function isBelow(graph: GraphState, name: string, above: string): boolean {
	const node = graph.nodes.get(name);
	return node?.parents.some((parent) => parent === above || isBelow(graph, parent, above)) ?? false;
}

/** Adds synthetic classes up to the size; every twelfth and its successor are a relation pair. */
function addMade(graph: GraphState): void {
	const taken = new Set([...graph.nodes.keys()].map((name) => splitClassName(name)?.[0] ?? ""));
	const packages = buildPackageNames(Math.max(1, Math.ceil(graph.size / PACKAGE_SHARE)), graph.random, taken);
	const getWords = listClassWords(graph.seed);
	const hosts = [...graph.nodes.values()].filter(
		({ abstract, name }) => !abstract && !graph.common.has(name) && name !== TOP,
	);
	if (hosts.length === 0) hosts.push(graph.nodes.get(TOP) as Node);
	const abstracts: string[] = [];
	for (let n = 0; graph.nodes.size < graph.size; n++) {
		const words = getWords(n);
		const pkg =
			packages[(graph.random.int(packages.length) * graph.random.int(packages.length)) % packages.length] ?? "made";
		const room = graph.size - graph.nodes.size;
		if (n % 12 === 5 && room >= 2 && hosts.length > 2) {
			addRelation(graph, pkg, words, pickHost(graph, hosts), pickHost(graph, hosts), n);
			continue;
		}
		const abstract = n % 20 === 3;
		const name = freeName(graph, pkg, words);
		const made = addNode(graph, {
			name,
			label: words.slice(0, 2).join(" "),
			rn: abstract ? "" : getRn(words, n),
			abstract,
			configurable: !abstract && n % 5 === 0,
			contextRoot: n % 500 === 17,
			supers: [...(abstracts.length > 0 ? [graph.random.pick(abstracts)] : []), ...UNPUBLISHED_SUPERS],
		});
		if (abstract) abstracts.push(name);
		else {
			for (let i = 1 + Math.floor(graph.random.next() ** 3 * 3); i > 0; i--)
				linkNode(graph, pickHost(graph, hosts, made.rn).name, made);
			hosts.push(made);
		}
	}
}

function addRelation(graph: GraphState, pkg: string, words: readonly string[], from: Node, to: Node, n: number): void {
	const base = freeName(graph, pkg, ["Rs", ...words.slice(0, 2)]);
	const back = base.replace("Rs", "Rt");
	const named = n % 24 === 5;
	const label = `${words[0]} ${words[1]} Relation`;
	const relation = addNode(graph, {
		name: base,
		label,
		rn: named ? `rs${words[0]}${words[1]}` : `rs${words[0]}${words[1]}-[{tDn}]`,
		configurable: from.configurable,
	});
	const counterpart = addNode(graph, {
		name: back,
		label: `${label} Counterpart`,
		rn: `rt${words[0]}${words[1]}-[{tDn}]`,
	});
	linkNode(graph, pickHost(graph, [from], relation.rn).name, relation);
	linkNode(graph, pickHost(graph, [to], counterpart.rn).name, counterpart);
	relateNodes(graph, { from: from.name, relation: base, to: to.name, back, named });
}

function freeName(graph: GraphState, pkg: string, words: readonly string[]): string {
	const name = pkg + words.join("");
	for (let suffix = 2; ; suffix++) {
		const free = suffix === 2 ? name : `${name}${suffix}`;
		if (!graph.nodes.has(free)) return free;
	}
}

/**
 * Early classes have more children than late ones, as in the real tree. Children of one class
 * have distinct RN prefixes; if that is impossible, the child goes under the newest class.
 */
function pickHost(graph: GraphState, hosts: readonly Node[], rn = ""): Node {
	let host: Node | undefined;
	for (let tries = 0; tries < 8; tries++) {
		host = hosts[Math.floor(graph.random.next() ** 2 * hosts.length)];
		if (
			host !== undefined &&
			!host.children.some((name) => getPrefix(graph.nodes.get(name)?.rn ?? "") === getPrefix(rn))
		)
			return host;
	}
	return host ?? (hosts[0] as Node);
}

/** Some classes contain themselves, and some what stands above them. */
function addContainmentLoops(graph: GraphState): void {
	const made = [...graph.nodes.values()].filter(
		({ info, abstract, parents, relation }) => info === null && !abstract && parents.length > 0 && relation === null,
	);
	for (let i = 0; i < Math.min(SELF_CONTAINING, made.length); i++) {
		const node = made[Math.floor((i * made.length) / SELF_CONTAINING)];
		if (node === undefined || node.loops.length > 0) continue;
		const above = graph.nodes.get(node.parents[0] ?? "");
		node.loops.push(node.name);
		node.children.push(node.name);
		if (i % 3 !== 1 || above === undefined || above.info !== null) continue;
		above.loops.push(node.name);
		node.children.push(above.name);
	}
}

/** @param size how many classes have a document, at least 20 */
export function buildGraph(size: number, seed: number): Graph {
	const nodes = new Map<string, Node>();
	const graph: GraphState = { serial: 0, nodes, size, seed, random: createRandom(seed ^ 0x6d0d), common: new Set() };
	addNode(graph, { name: TOP, label: "Top Root", rn: "", supers: UNPUBLISHED_SUPERS });
	graph.common = addOwn(graph);
	addMade(graph);
	addContainmentLoops(graph);
	for (const node of nodes.values())
		for (const name of node.supers) {
			const target = nodes.get(name);
			if (target !== undefined && !target.subs.includes(node.name)) target.subs.push(node.name);
		}
	return { nodes, root: TOP, common: graph.common };
}

/** `fvTenant` → `["fv", "Tenant"]`; null if the text is not a class name. */
export function splitClassName(name: string): [pkg: string, short: string] | null {
	const found = /^([a-z0-9]+)([A-Z]\w*)$/.exec(name);
	return found === null ? null : [found[1] ?? "", found[2] ?? ""];
}

/** As the documents write names: `fv:Tenant`. */
export const qualifyName = (name: string): string => splitClassName(name)?.join(":") ?? name;

/** What an RN begins with, up to its first value: the key in its parent's map. */
export const getPrefix = (rn: string): string => rn.replace(/\[?\{.*$/, "");

/** Prefixes are short and repeat between parents, as they do in the real model. */
function getRn(words: readonly string[], n: number): string {
	const prefix = (words[0] ?? "x").toLowerCase();
	const shape = n % 10;
	if (shape < 5) return `${prefix}${(words[1] ?? "").toLowerCase()}-{name}`;
	if (shape < 8) return prefix + (words[1] ?? "").toLowerCase() + (words[2] ?? "").toLowerCase();
	if (shape < 9) return `${prefix}-[{addr}]`;
	return `${prefix}-{name}-typ-{type}`;
}

/** Containers before what they contain, so that a part of the list hangs together. */
function groupByDepth(classes: readonly ClassInfo[]): ClassInfo[] {
	const byName = new Map(classes.map((cls) => [cls.name, cls]));
	const depths = new Map<string, number>();
	const getDepth = (cls: ClassInfo, seen: readonly string[]): number => {
		const known = depths.get(cls.name);
		if (known !== undefined) return known;
		const above = cls.under.flatMap((name) => byName.get(name) ?? []).filter(({ name }) => !seen.includes(name));
		const depth = cls.abstract
			? 99
			: above.length === 0
				? 0
				: 1 + Math.min(...above.map((parent) => getDepth(parent, [...seen, cls.name])));
		depths.set(cls.name, depth);
		return depth;
	};
	return [...classes].sort((a, b) => getDepth(a, []) - getDepth(b, []));
}
