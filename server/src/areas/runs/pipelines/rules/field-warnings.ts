/**
 * Warnings about fields of post-processors that no row will have: without them a group or a column
 * is missing from the result, and nothing says why.
 */
import type { PostProcessor, PostProcessorConfig } from "@weft/contracts";
import type { ModelGraph } from "../../../../core/ports/class-model.ts";
import { isKnownProperty, mayHaveSubclass } from "./model-facts.ts";
import type { Plan } from "./plan.ts";

/** Fields of rows by name; null where rows may have fields that are not known here. */
type Fields = ReadonlySet<string> | ((field: string) => boolean) | null;

/** Of every object, whatever its class. */
const ALWAYS = ["class", "dn", "rn", "status", "childAction", "modTs"];

/** @param last processors of the query, after those of the canvas */
export function findFieldWarnings(plan: Plan, last: readonly PostProcessor[], graph: ModelGraph): string[] {
	const results = plan.resultStages.flatMap((index) => plan.stages[index] ?? []);
	const ends = results.map(({ answers, classes, processors }) => {
		const names = classes.filter(({ nodeId }) => answers.includes(nodeId)).map(({ className }) => className);
		return traceFields(processors, getFields(names, graph), graph);
	});
	const all = ends.map(({ fields }) => fields);
	const start = all.includes(null) ? null : (field: string) => all.some((fields) => hasField(fields, field));
	return [...ends.flatMap(({ warnings }) => warnings), ...traceFields(last, start, graph).warnings];
}

function getFields(classNames: readonly string[], graph: ModelGraph): Fields {
	if (!classNames.every((name) => graph.find(name) !== undefined && !mayHaveSubclass(graph, name))) return null;
	return (field) => ALWAYS.includes(field) || classNames.some((name) => isKnownProperty(graph, name, field));
}

const hasField = (fields: Fields, field: string): boolean =>
	fields === null || (typeof fields === "function" ? fields(field) : fields.has(field));

function traceFields(
	processors: readonly PostProcessor[],
	start: Fields,
	graph: ModelGraph,
): { warnings: string[]; fields: Fields } {
	const warnings: string[] = [];
	let fields = start;
	for (const processor of processors) {
		if (processor.enabled === false) continue;
		for (const field of new Set(listUses(processor))) {
			if (isChildPath(field) || hasField(fields, getOwnName(field))) continue;
			warnings.push(`${processor.type} uses the field ${field}, which no row has.`);
		}
		if (processor.type === "join") warnings.push(...listJoinWarnings(processor.config, graph));
		fields = computeOutputFields(processor, fields);
	}
	return { warnings, fields };
}

function listUses(processor: PostProcessor): string[] {
	const { type, config } = processor;
	switch (type) {
		case "filter_rows":
			return config.conditions.filter(({ operator }) => operator !== "missing").map(({ field }) => field);
		case "array-sort":
			return config.keys.map(({ field }) => field);
		case "field-extract":
			return config.fields.map(({ path }) => path);
		case "aggregate":
			return [...config.groupBy, ...config.aggregations.flatMap(({ field }) => field ?? [])];
		case "calculate":
			return listCalculationUses(config);
		case "flatten":
		case "join":
			return [];
		default:
			return [config.field];
	}
}

function computeOutputFields({ type, config }: PostProcessor, fields: Fields): Fields {
	switch (type) {
		case "field-extract":
			return new Set(config.fields.map(({ as }) => as));
		case "aggregate":
			return new Set([
				...config.groupBy,
				...config.aggregations.map(({ function: name, field, as }) => as ?? (field ? `${name}_${field}` : name)),
			]);
		case "join": {
			const attached = new Set(config.attach.flatMap((entry) => entry.fields.map(({ as }) => as)));
			return (field) => attached.has(field) || hasField(fields, field);
		}
		case "calculate": {
			const targets = listCalculationTargets(config);
			return (field) => targets.includes(field) || hasField(fields, field);
		}
		case "flatten":
			return config.children === "drop" ? fields : null;
		case "dn-extract":
		case "regex-transform":
		case "map-transform":
		case "text-operations": {
			const { target } = config;
			return target === undefined ? fields : (field) => field === target || hasField(fields, field);
		}
		default:
			return fields;
	}
}

function listCalculationUses(config: PostProcessorConfig<"calculate">): string[] {
	switch (config.operation) {
		case "percent":
			return [config.field, config.of];
		case "free":
			return [config.from, config.to, ...config.used];
		case "overlap":
			return [config.field, ...config.groupBy, config.show];
	}
}

function listCalculationTargets(config: PostProcessorConfig<"calculate">): string[] {
	if (config.operation !== "free") return [config.target];
	return [config.target, config.usedTarget, config.countTarget].flatMap((target) => target ?? []);
}

/** Fields that the classes of a join do not have, and names that replace one of the base. */
function listJoinWarnings({ base, attach }: PostProcessorConfig<"join">, graph: ModelGraph): string[] {
	const lacks = (className: string, field: string): boolean =>
		!isChildPath(field) && !hasField(getFields([className], graph), getOwnName(field));
	const attached = new Set<string>();
	return attach.flatMap((entry) => {
		const { class: className, by, fields } = entry;
		const read = fields.map(({ field }) => field);
		const others = typeof by === "object" ? [...read, by.other] : read;
		const found = others
			.filter((field) => lacks(className, field))
			.map((field) => `join uses the field ${field} of ${className}, which the class does not have.`);
		if (typeof by === "object" && !attached.has(by.base) && lacks(base, by.base)) {
			found.push(`join uses the field ${by.base} of ${base}, which the class does not have.`);
		}
		for (const { as } of fields) {
			if (graph.find(base) !== undefined && isKnownProperty(graph, base, as)) {
				found.push(`join replaces the field ${as} of ${base}. Choose another name to keep both.`);
			}
			attached.add(as);
		}
		return found;
	});
}

const isChildPath = (field: string): boolean => field.startsWith("children.");

/** `name` of `attributes.name` and `fvBD.name`. */
const getOwnName = (field: string): string => field.split(".").at(-1) ?? field;
