/**
 * Holds a canvas against a model: classes and properties that it names and the model does not have.
 */
import type { ModelCheck } from "@weft/contracts";
import type { ModelFacts } from "./facts.ts";
import { isRecord, readScalarText } from "./values.ts";

type Warning = ModelCheck["warnings"][number];

/** Properties that every object has, whatever its document lists. */
const EVERYWHERE = new Set(["dn", "rn", "status", "childAction", "modTs"]);
const CLASS_NODES = new Set(["classNode", "class"]);
const FILTER_NODES = new Set(["filterNode", "filter"]);

/** @param flow the saved canvas; unknown parts of it are ignored */
export function checkFlow(flow: unknown, facts: ModelFacts): Warning[] {
	const nodes = getList(flow, "nodes");
	const classes = new Map<string, string>();
	const warnings: Warning[] = [];
	for (const node of nodes) {
		const [id, data] = [readScalarText(node.id), isRecord(node.data) ? node.data : {}];
		const name = readScalarText(data.className).trim();
		if (!CLASS_NODES.has(readScalarText(node.type)) || name === "") continue;
		classes.set(id, name);
		if (!facts.knows(name)) {
			warnings.push(
				buildWarning(id, name, null, `The model ${facts.version} has no class ${name}.`, facts.similar(name)),
			);
			continue;
		}
		const order = readScalarText(data.orderBy).replace(/^-/, "").split(".").at(-1) ?? "";
		if (order !== "") warnings.push(...warnMissingProperty(facts, id, name, order));
	}
	const above = createUpstreamFinder(getList(flow, "edges"), classes);
	for (const node of nodes) {
		if (!FILTER_NODES.has(readScalarText(node.type))) continue;
		const [id, data] = [readScalarText(node.id), isRecord(node.data) ? node.data : {}];
		const name = above(id);
		if (name === null || !facts.knows(name)) continue;
		for (const property of getProperties(data)) warnings.push(...warnMissingProperty(facts, id, name, property));
	}
	return warnings;
}

function warnMissingProperty(facts: ModelFacts, node: string, name: string, property: string): Warning[] {
	if (EVERYWHERE.has(property) || facts.knowsProperty(name, property) !== false) return [];
	// Rows of sub classes have properties of their own.
	if (facts.isAbstract(name) || facts.hasSubclasses(name)) return [];
	return [buildWarning(node, name, property, `${name} has no property ${property} in the model ${facts.version}.`, [])];
}

const buildWarning = (
	node_id: string,
	class_name: string,
	property: string | null,
	message: string,
	suggestions: readonly string[],
): Warning => ({ node_id, class_name, property, message, suggestions: [...suggestions] });

/** Properties that a filter asks for: its own, and those of its patterns. */
function getProperties(data: Record<string, unknown>): Set<string> {
	const found = new Set<string>();
	const add = (value: unknown) => {
		const name = readScalarText(value).trim().split(".").at(-1) ?? "";
		if (name !== "") found.add(name);
	};
	if (!Array.isArray(data.patternGroups)) add(data.property);
	for (const group of Array.isArray(data.patternGroups) ? data.patternGroups : []) {
		for (const pattern of getList(group, "patterns")) add(pattern.property);
	}
	return found;
}

/** The class that a filter belongs to: the nearest one against the edges. */
function createUpstreamFinder(edges: readonly Record<string, unknown>[], classes: ReadonlyMap<string, string>) {
	const before = new Map<string, string[]>();
	for (const edge of edges) {
		const target = readScalarText(edge.target);
		before.set(target, [...(before.get(target) ?? []), readScalarText(edge.source)]);
	}
	return (id: string): string | null => {
		const seen = new Set([id]);
		for (const at of seen) {
			const name = at === id ? undefined : classes.get(at);
			if (name !== undefined) return name;
			for (const source of before.get(at) ?? []) seen.add(source);
		}
		return null;
	};
}

const getList = (value: unknown, key: string): Record<string, unknown>[] =>
	isRecord(value) && Array.isArray(value[key]) ? value[key].filter(isRecord) : [];
