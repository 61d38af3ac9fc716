/**
 * How saving a query changes its version.
 *
 * Major: the classes, how they are joined, or their scope. Minor: filters, options, outputs and
 * post-processors. None: layout, and anything else outside the canonical form. An edge that is
 * added or removed together with a filter, output, start or post-processor node belongs to that
 * node's change: a filter between two classes is a minor change although it replaces one edge by
 * two.
 */
import type { Flow } from "@weft/contracts";
import {
	buildGraph,
	type CanonicalEdge,
	type CanonicalNode,
	type Content,
	canonicalJson,
	canonicalQuery,
} from "../../flow/index.ts";

type QueryContent = Pick<Content, "flow" | "postProcessors">;
export interface Version {
	major: number;
	minor: number;
}
export interface VersionChange {
	level: "major" | "minor" | "none";
	/** Short phrases for users, major changes first; empty when the level is none. */
	changes: string[];
}

const MAX_PHRASES = 50;
export const FIRST_VERSION: Version = { major: 1, minor: 0 };
export const FIRST_CHANGES = ["Created"];
export const getVersion = (row: { readonly major_version: number; readonly minor_version: number }): Version => ({
	major: row.major_version,
	minor: row.minor_version,
});
export const formatVersion = ({ major, minor }: Version): string => `v${major}.${minor}`;

export function bumpVersion(version: Version, level: VersionChange["level"]): Version {
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
			(node.type === "classNode" ? major : minor).push(`${verb} ${getName(node)}`);
		}
	}
	for (const node of now) {
		const past = oldById.get(node.id);
		if (past?.type !== node.type || canonicalJson(past.data) === canonicalJson(node.data)) continue;
		if (node.type === "classNode") {
			const { className, scope } = node.data;
			if (past.data.className !== className) major.push(`Changed class ${past.data.className} to ${className}`);
			if (past.data.scope !== scope) major.push(`Changed scope of ${className} to ${scope}`);
			minor.push(...listOptionChanges(past.data, node.data));
		} else
			minor.push(
				getName(past) === getName(node) ? `Changed ${getName(node)}` : `Changed ${getName(past)} to ${getName(node)}`,
			);
	}
	return { major, minor, sameParts };
}

function listOptionChanges(past: Record<string, unknown>, data: Record<string, unknown>): string[] {
	const names = {
		propertyInclude: "properties",
		orderBy: "order",
		limit: "limit",
		timeRange: "time range",
		supplementalData: "supplemental data",
		allowEmpty: "may be empty",
		node: "switch",
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
	const name = createNodeNamer([...before.flow.nodes, ...after.flow.nodes]);
	const isPipe = ({ pipeline }: CanonicalEdge) => pipeline !== undefined;
	const pipes = describeEdgeChanges(old.filter(isPipe), now.filter(isPipe), "pipeline", name);
	const pairs = describeEdgeChanges(listClassPairs(before.flow), listClassPairs(after.flow), "class pair", name);
	if (!sameParts || pairs.length > 0) return [...pairs, ...pipes];
	const oldIds = new Set(before.flow.nodes.map(({ id }) => id));
	const remaining = new Set(after.flow.nodes.map(({ id }) => id).filter((id) => oldIds.has(id)));
	const remains = ({ source, target, pipeline }: CanonicalEdge) =>
		!pipeline && remaining.has(source) && remaining.has(target);
	return [...describeEdgeChanges(old.filter(remains), now.filter(remains), "connection", name), ...pipes];
}

const listClassPairs = (flow: Flow): CanonicalEdge[] => {
	const graph = buildGraph(flow);
	return flow.nodes
		.filter((node) => node.type === "classNode")
		.flatMap(({ id }) => graph.classesAbove(id).map((source) => ({ source, target: id })));
};

/** Phrases for the edges that only one of the lists has. */
function describeEdgeChanges(
	old: CanonicalEdge[],
	now: CanonicalEdge[],
	kind: "pipeline" | "connection" | "class pair",
	name: (id: string) => string,
): string[] {
	const without = (edges: CanonicalEdge[], others: CanonicalEdge[], verb: string): string[] => {
		const keys = new Set(others.map(canonicalJson));
		return edges
			.filter((edge) => !keys.has(canonicalJson(edge)))
			.map(({ source, target }) =>
				kind === "class pair"
					? `${verb} ${name(source)} → ${name(target)}`
					: `${verb} ${kind} from ${name(source)} to ${name(target)}`,
			);
	};
	return [...without(old, now, "Removed"), ...without(now, old, "Added")];
}

function createNodeNamer(nodes: Flow["nodes"]): (id: string) => string {
	const names = new Map(nodes.map((node) => [node.id, node.type === "classNode" ? node.data.className : node.id]));
	return (id) => names.get(id) ?? id;
}

function getName(node: CanonicalNode): string {
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
	const types = [...new Set([...old, ...now].map(({ type }) => type))];
	return types.flatMap((type) => {
		const [before, after] = [old, now].map((list) => list.filter((entry) => entry.type === type)) as [
			typeof old,
			typeof now,
		];
		if (sorted(before) === sorted(after)) return [];
		const added = after.length - before.length;
		return `${added > 0 ? "Added" : added < 0 ? "Removed" : "Changed"} post-processor ${type}`;
	});
}
