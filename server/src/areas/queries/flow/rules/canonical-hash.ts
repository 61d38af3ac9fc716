/**
 * The canonical form of a query. Two queries with the same canonical form give the same result.
 *
 * It includes: of each node its id, type and the data that the compiler reads; of each edge its
 * ends and the data of a pipeline edge; the post-processors in order. It excludes: position, size,
 * colour, label, viewport, selection, all other fields of a drawing tool, edge ids, and the order
 * of the node and edge arrays. Defaults are included as values.
 */
import { createHash } from "node:crypto";
import type { Flow, FlowNode, PostProcessor } from "@weft/contracts";
import { isPipeline } from "./graph.ts";

export interface CanonicalNode {
	id: string;
	type: string;
	data: Record<string, unknown>;
}
export interface CanonicalEdge {
	source: string;
	target: string;
	pipeline?: { extractField: string; injectAs: string; injectProperty: string };
}
interface CanonicalQuery {
	nodes: CanonicalNode[];
	edges: CanonicalEdge[];
	postProcessors: { type: string; config: unknown; enabled: boolean }[];
}

export function canonicalizeQuery(flow: Flow, postProcessors: readonly PostProcessor[]): CanonicalQuery {
	const edges = new Map<string, CanonicalEdge>();
	for (const edge of flow.edges) {
		const canonical: CanonicalEdge = { source: edge.source, target: edge.target };
		if (isPipeline(edge)) {
			const { extractField = "dn", injectAs = "filter_values", injectProperty = "dn" } = edge.data;
			canonical.pipeline = { extractField, injectAs, injectProperty };
		}
		edges.set(formatCanonicalJson(canonical), canonical);
	}
	return {
		nodes: flow.nodes
			.map((node) => ({ id: node.id, type: node.type, data: canonicalizeData(node) }))
			.sort(compareByKey((n) => n.id)),
		edges: [...edges].sort(compareByKey(([key]) => key)).map(([, edge]) => edge),
		postProcessors: postProcessors.map(({ type, config, enabled = true }) => ({ type, config, enabled })),
	};
}

/** SHA-256, lowercase hex. */
export function hashCanonical(flow: Flow, postProcessors: readonly PostProcessor[]): string {
	return createHash("sha256")
		.update(formatCanonicalJson(canonicalizeQuery(flow, postProcessors)))
		.digest("hex");
}

/** JSON with sorted keys and without undefined fields. */
export function formatCanonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(formatCanonicalJson).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
	const entries = Object.entries(value)
		.filter(([, field]) => field !== undefined)
		.sort(compareByKey(([key]) => key));
	return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${formatCanonicalJson(field)}`).join(",")}}`;
}

function canonicalizeData(node: FlowNode): Record<string, unknown> {
	switch (node.type) {
		case "startNode":
			return {};
		case "classNode": {
			const { className, scope = "self", propertyInclude = "all", orderBy, limit, timeRange, allowEmpty } = node.data;
			const onSwitch = node.data.node === undefined ? {} : { node: node.data.node };
			const supplementalData = Object.entries(node.data.supplementalData ?? {})
				.filter(([, on]) => on === true)
				.map(([key]) => key)
				.sort();
			// Left out when it is off, so that hashes of flows without it stay the same.
			const empty = allowEmpty === true ? { allowEmpty } : {};
			return { className, scope, propertyInclude, orderBy, limit, timeRange, supplementalData, ...empty, ...onSwitch };
		}
		case "filterNode": {
			if (node.data.filterType === "property") {
				const { property, operator = "eq", value } = node.data;
				return { property, operator, value: Array.isArray(value) ? value.map(String) : String(value) };
			}
			return {
				groupCombineOperator: node.data.groupCombineOperator ?? "and",
				patternGroups: node.data.patternGroups.map(({ patterns, logicalOperator = "and" }) => ({
					logicalOperator,
					patterns: patterns.map(({ property, pattern, operator, type, negate = false }) => ({
						property,
						pattern,
						operator,
						type,
						negate,
					})),
				})),
			};
		}
		case "postProcessorNode": {
			const { processorType, config, isPaused = false } = node.data;
			return { processorType, config, isPaused };
		}
		case "outputNode": {
			const { pageSize, enableTimeMachine = false } = node.data;
			return { pageSize, enableTimeMachine };
		}
	}
}

/** Orders by code units, the same in every locale. */
function compareByKey<T>(key: (item: T) => string): (a: T, b: T) => number {
	return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}
