/** An edge as it is drawn: around the nodes that are in its way, with its labels beside it. */
import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { type Box, findRoute, getPath, placeLabels } from "./model/route.ts";

interface EdgeData extends Record<string, unknown> {
	/** The nodes that edges go around. */
	readonly boxes: readonly Box[];
	/** Rows of the source so far; empty: not known. */
	readonly rows: string;
	/** The field whose values the edge passes on, or the mark of a problem; empty: neither. */
	readonly field: string;
}
export type FlowEdge = Edge<EdgeData, "weft">;

export function WeftEdge({ sourceX, sourceY, targetX, targetY, data, markerEnd }: EdgeProps<FlowEdge>) {
	const { boxes = [], rows = "", field = "" } = data ?? {};
	const way = findRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, boxes);
	const places = placeLabels(way, field);
	return (
		<>
			<BaseEdge path={getPath(way)} {...(markerEnd ? { markerEnd } : {})} />
			{rows !== "" && (
				<text className="react-flow__edge-text" x={places.rows.x} y={places.rows.y}>
					{rows}
				</text>
			)}
			{field !== "" && (
				<text className="react-flow__edge-text" textAnchor="end" x={places.field.x} y={places.field.y}>
					<title>{field}</title>
					{places.field.text}
				</text>
			)}
		</>
	);
}
