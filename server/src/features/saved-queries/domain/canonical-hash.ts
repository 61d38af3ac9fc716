/**
 * What a query means, without how it is drawn. Two canvases with the same canonical form give the same answer.
 *
 * Counted: of each node its id, type and the data that the compiler reads; of each edge its ends and, on a pipeline
 * edge, what it carries; the post-processors in order. Not counted: position, size, colour, label, viewport, selection,
 * any other field of a drawing tool, edge ids, and the order of the node and edge arrays. Defaults count as written out.
 */
import { createHash } from "node:crypto";
import type { Flow, FlowNode, PostProcessor } from "@weft/contracts";
import { isPipeline } from "./flow-structure.ts";

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
export interface CanonicalQuery {
	nodes: CanonicalNode[];
	edges: CanonicalEdge[];
	postProcessors: { type: string; config: unknown; enabled: boolean }[];
}

export function canonicalQuery(flow: Flow, postProcessors: readonly PostProcessor[]): CanonicalQuery {
	const edges = new Map<string, CanonicalEdge>();
	for (const edge of flow.edges) {
		const canonical: CanonicalEdge = { source: edge.source, target: edge.target };
		if (isPipeline(edge)) {
			const { extractField = "dn", injectAs = "filter_values", injectProperty = "dn" } = edge.data;
			canonical.pipeline = { extractField, injectAs, injectProperty };
		}
		edges.set(canonicalJson(canonical), canonical);
	}
	return {
		nodes: flow.nodes.map((node) => ({ id: node.id, type: node.type, data: meaningOf(node) })).sort(by((n) => n.id)),
		edges: [...edges].sort(by(([key]) => key)).map(([, edge]) => edge),
		postProcessors: postProcessors.map(({ type, config, enabled = true }) => ({ type, config, enabled })),
	};
}

/** SHA-256, lowercase hex. */
export function canonicalHash(flow: Flow, postProcessors: readonly PostProcessor[]): string {
	return createHash("sha256")
		.update(canonicalJson(canonicalQuery(flow, postProcessors)))
		.digest("hex");
}

/** JSON with sorted keys and without undefined fields. */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
	const entries = Object.entries(value)
		.filter(([, field]) => field !== undefined)
		.sort(by(([key]) => key));
	return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(",")}}`;
}

function meaningOf(node: FlowNode): Record<string, unknown> {
	switch (node.type) {
		case "startNode":
			return {};
		case "classNode": {
			const { className, scope = "self", propertyInclude = "all", orderBy, limit, timeRange } = node.data;
			const supplementalData = Object.entries(node.data.supplementalData ?? {})
				.filter(([, on]) => on === true)
				.map(([key]) => key)
				.sort();
			return { className, scope, propertyInclude, orderBy, limit, timeRange, supplementalData };
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
function by<T>(key: (item: T) => string): (a: T, b: T) => number {
	return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}
