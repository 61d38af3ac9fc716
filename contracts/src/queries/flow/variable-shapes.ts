/** What a template asks for before it runs. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { defineChoice, defineObject, defineOptional, filterValue, flag, text } from "./fields.ts";
import { FLOW_LIMITS } from "./values.ts";

const option = z.union(
	[
		filterValue.transform((value) => ({ value: String(value), label: String(value) })),
		defineObject({ value: filterValue, label: text.optional() }).transform(({ value, label }) => ({
			value: String(value),
			label: label ?? String(value),
		})),
	],
	{ error: "Must be a value or {value, label}." },
);
/** What a template asks for before it runs; `${id}` in a filter value takes the answer. */
export const variableSchema = defineObject({
	id: z
		.string({ error: "Must be a string." })
		.max(64, {
			error: "Must be a name of letters, digits, _ and -, starting with a letter or _.",
			abort: true,
		})
		.regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, {
			error: "Must be a name of letters, digits, _ and -, starting with a letter or _.",
		}),
	label: defineOptional(text),
	type: defineChoice(["text", "select", "number"]).default("text"),
	required: flag,
	defaultValue: defineOptional(z.union([text, z.number()], { error: "Must be a string or a number." })),
	options: defineOptional(defineList(option, { max: 1_000, error: "Must be a list of options." })),
});
export const variablesSchema = defineList(variableSchema, {
	max: FLOW_LIMITS.variables,
	error: "Must be a list.",
	tooMany: `Must have at most ${FLOW_LIMITS.variables} variables.`,
});
export type Variable = z.output<typeof variableSchema>;
