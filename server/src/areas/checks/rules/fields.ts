/** Fields that a rule names, held against the class model. */
import type { CheckRule, PostProcessor } from "@weft/contracts";
import type { ModelClass, ModelGraph } from "../../../core/ports/class-model.ts";
import type { FieldKind } from "../../../core/rows/conditions.ts";

interface NamedField {
	/** Where it stands in the configuration, such as `conditions.0.field`. */
	readonly path: string;
	readonly field: string;
}

/** Properties of every object, also where the class's document does not list them. */
const EVERYWHERE: ReadonlySet<string> = new Set(["dn", "rn", "status", "childAction", "modTs"]);
/** Processors after which a row has the fields that it had before. */
const KEEPING: ReadonlySet<PostProcessor["type"]> = new Set(["filter_rows", "pattern-filter", "array-sort"]);
const SUGGESTIONS = 3;

export function getFields({ type, config }: CheckRule): NamedField[] {
	const list = (name: string, fields: readonly string[]) => fields.map((field, i) => ({ path: `${name}.${i}`, field }));
	switch (type) {
		case "no_rows":
		case "unchanged":
			return [];
		case "row_count":
			return list("group_by", config.group_by);
		case "trend":
			return [
				...(config.field === undefined ? [] : [{ path: "field", field: config.field }]),
				...(config.group_by === undefined ? [] : [{ path: "group_by", field: config.group_by }]),
			];
		case "each_row":
			return config.conditions.map(({ field }, i) => ({ path: `conditions.${i}.field`, field }));
		case "unique":
			return list("fields", config.fields);
		case "same_everywhere":
			return [...list("key", config.key), ...list("fields", config.fields)];
	}
}

/** Whether the rows of a query have the fields of its classes. */
export const keepsFields = (processors: readonly Pick<PostProcessor, "type" | "enabled">[]): boolean =>
	processors.every(({ type, enabled }) => enabled === false || KEEPING.has(type));

export interface FieldReader {
	/** Null for a field that a row may have; otherwise why it has none. */
	problem(field: string): string | null;
	kind(field: string): FieldKind;
}

/** @param classes of the rows; none: they are unknown */
export function createFieldReader(model: ModelGraph, classes: readonly string[]): FieldReader {
	/** The properties that a field may stand for; null where the model cannot tell. */
	function findFieldCandidates(
		field: string,
	): { readonly property: string; readonly types: ReadonlyMap<string, string> }[] | null {
		if (field === "class") return null;
		const steps = field.split(".");
		let [owners, at] = [classes, 0];
		if (owners.includes(steps[at] ?? "")) owners = [steps[at++] ?? ""];
		if (steps[at] === "children") {
			if (steps[at + 1] === "*") return null;
			owners = [steps[at + 1] ?? ""];
			at += 2;
		}
		if (steps[at] === "attributes") at += 1;
		const property = steps.slice(at).join(".");
		if (property === "" || property.startsWith("children.") || owners.length === 0) return null;
		const found = withSubclasses(owners);
		return found?.map((one) => ({ property, types: one.properties() })) ?? null;
	}

	/** The classes and all below them, whose objects are rows, too; null if one is not known. */
	function withSubclasses(names: readonly string[]): ModelClass[] | null {
		const found = new Map<string, ModelClass>();
		const open = [...names];
		for (let name = open.pop(); name !== undefined; name = open.pop()) {
			if (found.has(name)) continue;
			const one = model.find(name);
			if (one === undefined) return null;
			found.set(name, one);
			open.push(...one.subClasses);
		}
		return [...found.values()];
	}

	return {
		problem(field) {
			const found = findFieldCandidates(field);
			if (found === null || found.some(({ property, types }) => EVERYWHERE.has(property) || types.has(property))) {
				return null;
			}
			const property = found[0]?.property ?? field;
			const names = [...new Set(found.flatMap(({ types }) => [...types.keys()]))];
			const similar = findSimilarNames(names, property);
			const hint = similar.length === 0 ? "" : ` Did you mean ${similar.join(", ")}?`;
			return `The class model ${model.version} has no property ${property} on the rows of this query.${hint}`;
		},

		kind(field) {
			const types = findFieldCandidates(field)?.flatMap(({ property, types }) => types.get(property) ?? []) ?? [];
			if (types.length === 0) return "unknown";
			if (types.every((type) => type === "number")) return "number";
			return types.every((type) => type === "string") ? "text" : "unknown";
		},
	};
}

/** Names that share most pairs of letters with the wanted one, best first. */
function findSimilarNames(names: readonly string[], wanted: string): string[] {
	const pairs = splitPairs(wanted);
	const scored = names.map((name) => {
		const own = splitPairs(name);
		const shared = [...own].filter((pair) => pairs.has(pair)).length;
		return { name, score: (2 * shared) / Math.max(1, own.size + pairs.size) };
	});
	return scored
		.filter(({ score }) => score >= 0.4)
		.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
		.slice(0, SUGGESTIONS)
		.map(({ name }) => name);
}

function splitPairs(text: string): Set<string> {
	const letters = ` ${text.toLowerCase()} `;
	return new Set(Array.from({ length: letters.length - 1 }, (_, i) => letters.slice(i, i + 2)));
}
