/** The kinds of fields in a canvas. */
import * as z from "zod";
import { FLOW_LIMITS } from "./values.ts";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A form's blank field is an absent one. */
export const defineOptional = <T extends z.ZodType>(schema: T) =>
	z.preprocess((value) => (value === null || value === "" ? undefined : value), schema.optional()).optional();
export const defineChoice = <const T extends readonly [string, ...string[]]>(values: T) =>
	z.enum(values, { error: `Must be one of: ${values.join(", ")}.` });
export const flag = defineOptional(z.boolean({ error: "Must be true or false." }));
export const defineWholeNumber = (min: number, max: number) => {
	const error = `Must be a whole number from ${min} to ${max}.`;
	return z.preprocess(
		(value) => (typeof value === "string" && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value),
		z.number({ error }).int({ error }).min(min, { error }).max(max, { error }),
	);
};
export const defineObject = <T extends z.ZodRawShape>(shape: T) =>
	z.looseObject(shape, { error: "Must be an object." });
export const id = z
	.string({ error: "Must be a string." })
	.min(1, { error: "Must not be empty." })
	.max(FLOW_LIMITS.idLength, { error: `Must have at most ${FLOW_LIMITS.idLength} characters.` });
export const text = z
	.string({ error: "Must be a string." })
	.max(FLOW_LIMITS.valueLength, { error: `Must have at most ${FLOW_LIMITS.valueLength} characters.` });
export const className = z
	.string({ error: "A class name is required." })
	.max(128, { error: "Must be a class name such as fvTenant.", abort: true })
	.regex(/^[A-Za-z][A-Za-z0-9]{0,127}$/, { error: "Must be a class name such as fvTenant." });
export const propertyName = z
	.string({ error: "A property is required." })
	.max(300, { error: "Must be a property name such as name or dn.", abort: true })
	.regex(/^([A-Za-z][A-Za-z0-9]*\.)?[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
		error: "Must be a property name such as name or dn.",
	});
/** Dotted path into a row: `dn`, `name`, `children.fvRsCtx.tnFvCtxName`, `children.*.tDn`. */
export const fieldPath = z
	.string({ error: "A field is required." })
	.max(200, { error: "Must be a field such as dn or name.", abort: true })
	.regex(/^(?!.*__proto__)[A-Za-z_](?:[\w.:-]|(?<=children\.)\*){0,199}$/, {
		error: "Must be a field such as dn or name.",
	});
export const filterValue = z.union([text, z.number(), z.boolean()], {
	error: "Must be a string, a number or a boolean.",
});
