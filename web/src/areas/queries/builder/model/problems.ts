/** The service's errors by node and edge: dotted paths resolve to list positions. */
import type { Doc } from "./canvas.ts";

export interface CanvasProblems {
	/** By id of a node or edge. */
	readonly byId: ReadonlyMap<string, string>;
	/** What belongs to nothing on the canvas. */
	readonly general: readonly string[];
}

export const NONE: CanvasProblems = { byId: new Map(), general: [] };

export function placeProblems(
	doc: Pick<Doc, "nodes" | "edges">,
	fields: Readonly<Record<string, string>>,
): CanvasProblems {
	const byId = new Map<string, string>();
	const general: string[] = [];
	for (const [path, message] of Object.entries(fields)) {
		const [, list, index, , ...rest] = /^flow_data\.(nodes|edges)\.(\d+)(\.data)?(?:\.(.+))?$/.exec(path) ?? [];
		const item = list === "nodes" ? doc.nodes[Number(index)] : list === "edges" ? doc.edges[Number(index)] : undefined;
		if (item === undefined)
			general.push(path === "flow_data" || path === "flow_data.nodes" ? message : `${path}: ${message}`);
		else {
			// A message about a variable names its filter itself.
			const text = rest[0] && !message.startsWith("Filter ") ? `${rest[0]}: ${message}` : message;
			byId.set(item.id, [byId.get(item.id), text].filter(Boolean).join(" "));
		}
	}
	return { byId, general };
}
