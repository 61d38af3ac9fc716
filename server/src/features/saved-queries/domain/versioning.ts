/**
 * How a saved query's version moves when it is saved again.
 *
 * Major: which classes are queried, how they are joined, or their scope. Minor: filters, options, outputs and
 * post-processors. None: layout, and anything else outside the canonical form. An edge that comes or goes together with
 * a filter, output, start or post-processor node belongs to that node's change, so putting a filter between two classes
 * is minor although it replaces one edge by two.
 */
import type { Flow, PostProcessor } from "@weft/contracts";
import { type CanonicalEdge, type CanonicalNode, canonicalJson, canonicalQuery } from "./canonical-hash.ts";
import { upstreamClasses } from "./flow-structure.ts";

export interface QueryContent {
	flow: Flow;
	postProcessors: readonly PostProcessor[];
}
export interface Version {
	major: number;
	minor: number;
}
export interface VersionChange {
	level: "major" | "minor" | "none";
	/** Short phrases for people, the weightiest first; empty when the level is none. */
	changes: string[];
}

const MAX_PHRASES = 50;
export const FIRST_VERSION: Version = { major: 1, minor: 0 };
export const FIRST_CHANGES = ["Created"];
export const versionString = ({ major, minor }: Version): string => `v${major}.${minor}`;

export function bump(version: Version, level: VersionChange["level"]): Version {
	if (level === "major") return { major: version.major + 1, minor: 0 };
	return level === "minor" ? { major: version.major, minor: version.minor + 1 } : version;
}

export function compareContent(before: QueryContent, after: QueryContent): VersionChange {
	const old = canonicalQuery(before.flow, before.postProcessors);
	const now = canonicalQuery(after.flow, after.postProcessors);
	if (canonicalJson(old) === canonicalJson(now)) return { level: "none", changes: [] };
	const nodes = compareNodes(old.nodes, now.nodes);
	const edges = compareEdges(before, after, old.edges, now.edges, nodes.sameParts);
	const processors = compareProcessors(old.postProcessors, now.postProcessors);
	const major = [...nodes.major, ...edges];
	const minor = [...nodes.minor, ...processors];
	const phrases = [...new Set([...major, ...minor])];
	const shown = phrases.slice(0, MAX_PHRASES);
	if (phrases.length > MAX_PHRASES) shown.push(`${phrases.length - MAX_PHRASES} more changes`);
	return { level: major.length > 0 ? "major" : "minor", changes: shown.length > 0 ? shown : ["Changed connections"] };
}

function compareNodes(old: CanonicalNode[], now: CanonicalNode[]) {
	const major: string[] = [];
	const minor: string[] = [];
	const oldById = new Map(old.map((node) => [node.id, node]));
	const nowById = new Map(now.map((node) => [node.id, node]));
	let sameParts = true;
	for (const [verb, list, other] of [
		["Removed", old, nowById],
		["Added", now, oldById],
	] as const) {
		for (const node of list) {
			if (other.get(node.id)?.type === node.type) continue;
			if (node.type !== "classNode") sameParts = false;
			(node.type === "classNode" ? major : minor).push(`${verb} ${nameOf(node)}`);
		}
	}
	for (const node of now) {
		const past = oldById.get(node.id);
		if (past?.type !== node.type || canonicalJson(past.data) === canonicalJson(node.data)) continue;
		if (node.type === "classNode") {
			const { className, scope } = node.data;
			if (past.data.className !== className) major.push(`Changed class ${past.data.className} to ${className}`);
			if (past.data.scope !== scope) major.push(`Changed scope of ${className} to ${scope}`);
			minor.push(...optionChanges(past.data, node.data));
		} else
			minor.push(
				nameOf(past) === nameOf(node) ? `Changed ${nameOf(node)}` : `Changed ${nameOf(past)} to ${nameOf(node)}`,
			);
	}
	return { major, minor, sameParts };
}

function optionChanges(past: Record<string, unknown>, data: Record<string, unknown>): string[] {
	const names = {
		propertyInclude: "properties",
		orderBy: "order",
		limit: "limit",
		timeRange: "time range",
		supplementalData: "supplemental data",
	};
	return Object.entries(names).flatMap(([key, name]) => {
		if (canonicalJson(past[key]) === canonicalJson(data[key])) return [];
		const value = data[key];
		if (value === undefined) return [`Removed ${name} of ${data.className}`];
		const shown = Array.isArray(value) ? value.join(", ") || "none" : String(value);
		return [`Changed ${name} of ${data.className} to ${shown}`];
	});
}

function compareEdges(
	before: QueryContent,
	after: QueryContent,
	old: CanonicalEdge[],
	now: CanonicalEdge[],
	sameParts: boolean,
): string[] {
	const name = namer([...before.flow.nodes, ...after.flow.nodes]);
	const pipes = difference(
		old.filter((edge) => edge.pipeline),
		now.filter((edge) => edge.pipeline),
		(verb, { source, target }) => `${verb} pipeline from ${name(source)} to ${name(target)}`,
	);
	const lineage = difference(
		classPairs(before.flow),
		classPairs(after.flow),
		(verb, { source, target }) => `${verb} ${name(source)} → ${name(target)}`,
	);
	if (!sameParts || lineage.length > 0) return [...lineage, ...pipes];
	const survivors = new Set(
		before.flow.nodes.map(({ id }) => id).filter((id) => after.flow.nodes.some((n) => n.id === id)),
	);
	const between = (edges: CanonicalEdge[]) =>
		edges.filter(({ source, target, pipeline }) => !pipeline && survivors.has(source) && survivors.has(target));
	const rewired = difference(
		between(old),
		between(now),
		(verb, { source, target }) => `${verb} connection from ${name(source)} to ${name(target)}`,
	);
	return [...rewired, ...pipes];
}

const classPairs = (flow: Flow): CanonicalEdge[] => {
	const above = upstreamClasses(flow);
	return flow.nodes
		.filter((node) => node.type === "classNode")
		.flatMap(({ id }) => above(id).map((source) => ({ source, target: id })));
};

function difference(
	old: CanonicalEdge[],
	now: CanonicalEdge[],
	phrase: (verb: string, edge: CanonicalEdge) => string,
): string[] {
	const oldKeys = new Set(old.map(canonicalJson));
	const nowKeys = new Set(now.map(canonicalJson));
	return [
		...old.filter((edge) => !nowKeys.has(canonicalJson(edge))).map((edge) => phrase("Removed", edge)),
		...now.filter((edge) => !oldKeys.has(canonicalJson(edge))).map((edge) => phrase("Added", edge)),
	];
}

function namer(nodes: Flow["nodes"]): (id: string) => string {
	const names = new Map(nodes.map((node) => [node.id, node.type === "classNode" ? node.data.className : node.id]));
	return (id) => names.get(id) ?? id;
}

function nameOf(node: CanonicalNode): string {
	if (node.type === "classNode") return `class ${node.data.className}`;
	if (node.type === "postProcessorNode") return `post-processor ${node.data.processorType}`;
	if (node.type !== "filterNode") return node.type === "startNode" ? "start" : "output";
	if (typeof node.data.property === "string") return `filter on ${node.data.property}`;
	const groups = node.data.patternGroups as { patterns: { property: string }[] }[];
	const properties = new Set(groups.flatMap(({ patterns }) => patterns.map(({ property }) => property)));
	return `filter on ${[...properties].join(", ")}`;
}

function compareProcessors(
	old: { type: string; config: unknown; enabled: boolean }[],
	now: { type: string; config: unknown; enabled: boolean }[],
): string[] {
	if (canonicalJson(old) === canonicalJson(now)) return [];
	const sorted = (list: typeof old) => list.map(canonicalJson).sort().join();
	if (sorted(old) === sorted(now)) return ["Reordered post-processors"];
	const count = (list: typeof old, type: string) => list.filter((entry) => entry.type === type).length;
	const phrases: string[] = [];
	for (const type of new Set([...old, ...now].map((entry) => entry.type))) {
		const change = count(now, type) - count(old, type);
		const same = sorted(old.filter((e) => e.type === type)) === sorted(now.filter((e) => e.type === type));
		if (change > 0) phrases.push(`Added post-processor ${type}`);
		else if (change < 0) phrases.push(`Removed post-processor ${type}`);
		else if (!same) phrases.push(`Changed post-processor ${type}`);
	}
	return phrases;
}
