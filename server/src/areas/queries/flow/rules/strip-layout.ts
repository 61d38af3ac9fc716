/** Removes what only a drawing tool reads, which may be megabytes: the flow as a run stores it. */
import { type Flow, type FlowEdge, type FlowNode, NODE_FIELDS } from "@weft/contracts";

const EDGE_FIELDS = ["edgeType", "extractField", "injectAs", "injectProperty"];

/** Compiles to the same plan as the flow. */
export function stripLayout(flow: Flow): Flow {
	return {
		nodes: flow.nodes.map(
			({ id, type, data }) => ({ id, type, data: pickFields(data, NODE_FIELDS[type]) }) as FlowNode,
		),
		edges: flow.edges.map(
			({ id, source, target, data }): FlowEdge => ({ id, source, target, data: pickFields(data, EDGE_FIELDS) }),
		),
	};
}

const pickFields = (data: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
	Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)));
