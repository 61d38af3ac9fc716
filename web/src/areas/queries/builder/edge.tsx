/** An edge as it is drawn: around the nodes that are in its way. */
import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { type Box, findMiddle, findRoute, getPath } from "./model/route.ts";

/** The nodes that edges go around. */
export type FlowEdge = Edge<{ readonly boxes: readonly Box[] }, "weft">;

export function WeftEdge({ sourceX, sourceY, targetX, targetY, data, label, markerEnd }: EdgeProps<FlowEdge>) {
	const way = findRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY }, data?.boxes ?? []);
	const { x, y } = findMiddle(way);
	return <BaseEdge path={getPath(way)} label={label} labelX={x} labelY={y} {...(markerEnd ? { markerEnd } : {})} />;
}
