/** Variables that filters of the canvas use. */
import type { CanvasNode, Doc } from "./canvas.ts";
import { findClassAt } from "./edit.ts";

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}/g;

export interface MissingVariable {
	readonly nodeId: string;
	/** The property that the filter compares. */
	readonly property: string;
	readonly variable: string;
}

interface Use {
	readonly property: string;
	readonly text: string;
}

/** Finds placeholders of filters for which there is no variable, each once per filter. */
export function findMissingVariables({ nodes, variables }: Pick<Doc, "nodes" | "variables">): MissingVariable[] {
	const known = new Set(variables.map((variable) => (variable as { id?: unknown }).id));
	return nodes.flatMap((node) => {
		const uses = listUses(node).flatMap(({ property, text }) =>
			[...text.matchAll(PLACEHOLDER)].map(([, variable = ""]) => ({ nodeId: node.id, property, variable })),
		);
		const missing = uses.filter(({ variable }) => !known.has(variable));
		return [...new Map(missing.map((each) => [each.variable, each])).values()];
	});
}

/** A property that a filter compares with a variable alone. */
export interface VariableUse {
	readonly variable: string;
	readonly className: string;
	readonly property: string;
}

export function listVariableUses(doc: Pick<Doc, "nodes" | "edges">): VariableUse[] {
	return doc.nodes.flatMap((node) =>
		listUses(node).flatMap(({ property, text }) => {
			const [, variable] = /^\$\{([^}]+)\}$/.exec(text) ?? [];
			const className = findClassAt(doc, node.id)?.data.className;
			return variable !== undefined && typeof className === "string" ? [{ variable, className, property }] : [];
		}),
	);
}

export function createVariable(doc: Doc, id: string): Doc {
	return { ...doc, variables: [...doc.variables, { id, type: "text" }] };
}

function listUses({ type, data }: CanvasNode): Use[] {
	if (type !== "filterNode") return [];
	const groups = Array.isArray(data.patternGroups) ? data.patternGroups : [];
	const patterns = groups.flatMap((group: { patterns?: { property?: unknown; pattern?: unknown }[] }) =>
		(group.patterns ?? []).map(({ property, pattern }) => ({ property, text: pattern })),
	);
	const values = (Array.isArray(data.value) ? data.value : [data.value]).map((text) => ({
		property: data.property,
		text,
	}));
	return [...values, ...patterns].flatMap(({ property, text }) =>
		typeof text === "string" ? [{ property: String(property ?? ""), text }] : [],
	);
}
