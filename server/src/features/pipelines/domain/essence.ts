/** What a run keeps of a canvas: nodes and edges without the fields that only a drawing tool reads, which may be megabytes. */
import { type Flow, type FlowEdge, type FlowNode, NODE_FIELDS } from "@weft/contracts";

/** Means the same as the canvas. */
export function essenceOf(flow: Flow): Flow {
	return {
		nodes: flow.nodes.map(({ id, type, data }) => ({ id, type, data: picked(data, NODE_FIELDS[type]) }) as FlowNode),
		edges: flow.edges.map(({ id, source, target, data }): FlowEdge => {
			return { id, source, target, data: picked(data, EDGE_FIELDS) };
		}),
	};
}

const EDGE_FIELDS = ["edgeType", "extractField", "injectAs", "injectProperty"];

const picked = (data: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
	Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)));
