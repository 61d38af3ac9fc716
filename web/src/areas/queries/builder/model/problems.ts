/** The service's errors by node and edge: dotted paths resolve to list positions. */
import type { Doc } from "./canvas.ts";

export interface CanvasProblems {
	/** By id of a node or edge. */
	readonly byId: ReadonlyMap<string, string>;
	/** Problems that belong to no node or edge. */
	readonly general: readonly string[];
}

export const NONE: CanvasProblems = { byId: new Map(), general: [] };

/** Message of the service about a variable that does not exist. It names the filter. */
const MISSING_VARIABLE = /Filter "[^"]*" uses \$\{[^}]*\}, which does not exist\./g;

/** Drops messages about missing variables, which the inspector shows with a remedy. */
export const dropMissingVariables = (text: string): string => text.replaceAll(MISSING_VARIABLE, "").trim();

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
			const namesFilter = dropMissingVariables(message) === "";
			const text = rest[0] && !namesFilter ? `${rest[0]}: ${message}` : message;
			byId.set(item.id, [byId.get(item.id), text].filter(Boolean).join(" "));
		}
	}
	return { byId, general };
}
