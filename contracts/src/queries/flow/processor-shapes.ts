/** Post-processors, which reshape the rows of a result. docs/post-processors.md describes each. */
import * as z from "zod";
import { defineDictionary, defineList } from "../../core/bounded.ts";
import { calculateConfig } from "./calculate-shapes.ts";
import { defineChoice, defineObject, fieldPath, filterValue, flag, propertyName, text } from "./fields.ts";
import { joinConfig } from "./join-shapes.ts";
import { FLOW_LIMITS, PATTERN_TYPES, POST_PROCESSOR_TYPES, type PostProcessorType } from "./values.ts";

const pattern = z
	.string({ error: "A pattern is required." })
	.min(1, { error: "Must not be empty." })
	.max(FLOW_LIMITS.patternLength, { error: `Must have at most ${FLOW_LIMITS.patternLength} characters.` });
const defineFieldList = (min: number) =>
	defineList(fieldPath, {
		max: 200,
		error: "Must be a list of fields.",
		tooMany: "Must have at most 200 fields.",
	}).min(min, { error: "Needs at least one field." });
const ROW_OPERATORS = [
	"eq",
	"ne",
	"gt",
	"lt",
	"ge",
	"le",
	"in",
	"contains",
	"starts",
	"ends",
	"regex",
	"exists",
	"missing",
] as const;
/** A condition on a field of a row. */
export const rowConditionSchema = z.object({
	field: fieldPath,
	operator: defineChoice(ROW_OPERATORS).default("eq"),
	value: z.union([filterValue, defineList(filterValue, { max: 10_000 })]).optional(),
	caseSensitive: z.boolean().default(true),
});
export type RowCondition = z.output<typeof rowConditionSchema>;
const sortKey = z.object({ field: fieldPath, order: defineChoice(["asc", "desc"]).default("asc") });
/** Accepts the list under `key`, or the fields of its only entry; errors keep the given path. */
const defineShorthand = <L extends z.ZodType, F extends z.ZodType<z.output<L>>>(key: string, long: L, flat: F) =>
	defineDictionary(z.unknown(), { max: 100, error: "Must be an object." }).transform((value, context): z.output<L> => {
		const parsed = (key in value ? long : flat).safeParse(value);
		if (parsed.success) return parsed.data as z.output<L>;
		for (const { path, message } of parsed.error.issues) context.addIssue({ code: "custom", path, message });
		return z.NEVER;
	});
const textStep = z.discriminatedUnion(
	"operation",
	[
		z.object({ operation: z.enum(["trim", "upper", "lower", "title"]) }),
		z.object({ operation: z.enum(["prefix", "suffix"]), text }),
		z.object({ operation: z.literal("replace"), search: text.min(1, { error: "Must not be empty." }), text }),
		z.object({
			operation: z.literal("substring"),
			start: z.number().int().default(0),
			end: z.number().int().optional(),
		}),
		z.object({
			operation: z.literal("split"),
			separator: text.min(1, { error: "Must not be empty." }),
			index: z.number().int().default(0),
		}),
	],
	{ error: "Must be one of: trim, upper, lower, title, prefix, suffix, replace, substring, split." },
);

/** The config schema of each processor. docs/post-processors.md describes them for users. */
export const postProcessorConfigs = {
	filter_rows: defineShorthand(
		"conditions",
		z.object({
			conditions: defineList(rowConditionSchema, { max: 100 }).min(1, { error: "Needs at least one condition." }),
			match: defineChoice(["all", "any"]).default("all"),
		}),
		rowConditionSchema.transform((condition) => ({ conditions: [condition], match: "all" as const })),
	),
	"dn-extract": z
		.object({
			field: fieldPath.default("dn"),
			part: defineChoice(["parent", "rn", "value", "segment"]),
			rnPrefix: z.string().min(1).max(100).optional(),
			index: z.number().int().min(-100).max(100).optional(),
			/** The naming property whose value is taken, where the class of the name is known. */
			property: propertyName.optional(),
			target: fieldPath,
		})
		.superRefine((config, context) => {
			if (config.part === "segment" && config.index === undefined) {
				context.addIssue({ code: "custom", path: ["index"], message: "Is required when part is segment." });
			}
		}),
	"regex-transform": z.object({
		field: fieldPath,
		pattern,
		replacement: text.default(""),
		caseSensitive: z.boolean().default(true),
		target: fieldPath.optional(),
	}),
	"array-sort": defineShorthand(
		"keys",
		z.object({ keys: defineList(sortKey, { max: 20 }).min(1, { error: "Needs at least one key." }) }),
		sortKey.transform((key) => ({ keys: [key] })),
	),
	"pattern-filter": z.object({
		field: fieldPath,
		pattern,
		type: defineChoice([...PATTERN_TYPES, "regex"]).default("regex"),
		negate: z.boolean().default(false),
		caseSensitive: z.boolean().default(true),
	}),
	"field-extract": z.object({
		fields: defineList(
			z.union([
				fieldPath.transform((path) => ({ path, as: path })),
				z
					.object({ path: fieldPath, as: fieldPath.optional() })
					.transform((f) => ({ path: f.path, as: f.as ?? f.path })),
			]),
			{ max: 200, error: "Must be a list of fields." },
		).min(1, { error: "Needs at least one field." }),
	}),
	flatten: z.object({
		separator: z.string().min(1).max(5).default("."),
		children: defineChoice(["drop", "columns", "rows"]).default("drop"),
	}),
	"map-transform": z.object({
		field: fieldPath,
		mapping: defineDictionary(filterValue, {
			max: 10_000,
			key: text,
			error: "Must be an object of value: replacement.",
		}),
		default: filterValue.optional(),
		target: fieldPath.optional(),
	}),
	"text-operations": z.object({
		field: fieldPath,
		operations: defineList(textStep, { max: 50, error: "Must be a list of operations." }).min(1, {
			error: "Needs at least one operation.",
		}),
		target: fieldPath.optional(),
	}),
	aggregate: z.object({
		groupBy: defineFieldList(0).default([]),
		aggregations: defineList(
			z
				.object({
					function: defineChoice(["count", "distinct", "sum", "avg", "min", "max", "list"]),
					field: fieldPath.optional(),
					as: fieldPath.optional(),
				})
				.superRefine((config, context) => {
					if (config.function !== "count" && config.field === undefined) {
						context.addIssue({ code: "custom", path: ["field"], message: "A field is required." });
					}
				}),
			{ max: 50 },
		).default([{ function: "count" }]),
	}),
	join: joinConfig,
	calculate: calculateConfig,
} satisfies Record<PostProcessorType, z.ZodType>;
export type PostProcessorConfig<T extends PostProcessorType> = z.output<(typeof postProcessorConfigs)[T]>;

export type PostProcessor = {
	[T in PostProcessorType]: { type: T; config: PostProcessorConfig<T>; enabled?: boolean | undefined };
}[PostProcessorType];
export type ProcessorNodeData = {
	[T in PostProcessorType]: {
		processorType: T;
		config: PostProcessorConfig<T>;
		isPaused?: boolean | undefined;
		[key: string]: unknown;
	};
}[PostProcessorType];

const describeUnknownProcessor = (issue: { code?: string | undefined }) =>
	issue.code === "invalid_union" ? `Must be one of: ${POST_PROCESSOR_TYPES.join(", ")}.` : "Must be an object.";
export const listByProcessor = <S extends z.core.$ZodTypeDiscriminable>(
	key: string,
	option: (type: PostProcessorType, config: z.ZodType) => S,
) => {
	const [first, ...rest] = POST_PROCESSOR_TYPES.map((type) =>
		option(type, (postProcessorConfigs[type] as z.ZodType).prefault({})),
	);
	if (!first) throw new Error("no post-processor types");
	return z.discriminatedUnion(key, [first, ...rest], { error: describeUnknownProcessor });
};

/** One entry of a query's `post_processors`. */
export const postProcessorSchema = listByProcessor("type", (type, config) =>
	defineObject({ type: z.literal(type), config, enabled: flag }),
) as unknown as z.ZodType<PostProcessor>;
export const postProcessorsSchema = defineList(postProcessorSchema, {
	max: FLOW_LIMITS.postProcessors,
	error: "Must be a list.",
	tooMany: `Must have at most ${FLOW_LIMITS.postProcessors} post-processors.`,
});
