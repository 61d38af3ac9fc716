/** Shapes that every area shares: ids, times, paging, error bodies. */
import * as z from "zod";
import { definePatternText } from "./bounded.ts";
import { refuseTurning } from "./text.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "./values.ts";

/** UUID in a path or body; upper case is accepted and lowered. */
export const uuid = definePatternText(
	/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/,
	36,
	"Must be an id.",
).transform((value) => value.toLowerCase());

/** A database integer id in a path: digits only. */
export const intId = definePatternText(/^[0-9]{1,10}$/, 10, "Must be an integer id.")
	.transform(Number)
	.refine((value) => value <= 2_147_483_647, "Must be an integer id.");

/** An integer id inside a body. */
export const intRef = z.int().min(1).max(2_147_483_647);

export const uuidParams = z.object({ id: uuid });
export const intParams = z.object({ id: intId });

/** ISO 8601 with zone, as every answer carries it. */
export const timestamp = z.string().meta({ format: "date-time" });

/** ISO 8601 with zone as input. */
export const timestampInput = z.iso
	.datetime({
		offset: true,
		error: "Must be an ISO 8601 date and time with a zone, such as 2026-01-31T08:00:00Z.",
	})
	.max(64, "Must have at most 64 characters.");

const definePositiveDigits = (name: string) =>
	definePatternText(/^[0-9]{1,9}$/, 9, `${name} must be a whole number of at least 1.`)
		.transform(Number)
		.refine((value) => value >= 1, `${name} must be a whole number of at least 1.`);

/** `page` and `page_size` of every list; sizes above the maximum count as the maximum. */
export const paging = {
	page: definePositiveDigits("page").default(1),
	page_size: definePositiveDigits("page_size")
		.transform((value) => Math.min(value, MAX_PAGE_SIZE))
		.default(DEFAULT_PAGE_SIZE),
};

/** A count as a query parameter, from 0 on. */
export const offsetParam = definePatternText(/^[0-9]{1,9}$/, 9, "Must be a whole number of at least 0.")
	.transform(Number)
	.default(0);

/** How many at most, as a query parameter; above `most` it counts as that. */
export const limitParam = (most: number, usual: number) =>
	definePositiveDigits("limit")
		.transform((value) => Math.min(value, most))
		.default(usual);

/** `true` or `false` as a query parameter. */
export const boolParam = z
	.enum(["true", "false"], { error: "Must be true or false." })
	.transform((value) => value === "true");

/** `ordering=<field>` or `-<field>` over the allowed fields. */
export function defineOrdering<const Fields extends readonly string[]>(fields: Fields, fallback: OrderingOf<Fields>) {
	const allowed = fields.flatMap((field) => [field, `-${field}`]);
	return z
		.string()
		.max(100, { error: `Must be one of: ${allowed.join(", ")}.`, abort: true })
		.refine((value) => allowed.includes(value), `Must be one of: ${allowed.join(", ")}.`)
		.transform((value) => value as OrderingOf<Fields>)
		.prefault(fallback);
}

export type OrderingOf<Fields extends readonly string[]> = Fields[number] | `-${Fields[number]}`;

/** The list envelope. */
export function defineEnvelope<Item extends z.ZodType>(item: Item) {
	return z.object({
		count: z.int(),
		next: z.string().nullable(),
		previous: z.string().nullable(),
		results: z.array(item),
	});
}

/** `{detail}`: the error body of everything but validation. */
export const errorDetail = z.looseObject({ detail: z.string() });

/** Validation errors: messages by dotted field path; `non_field_errors` is for the whole body. */
export const errorFields = z.record(z.string(), z.array(z.unknown()));

/** A failure of a system behind Weft (502, 504). */
export const errorUpstream = z.object({
	success: z.literal(false),
	detail: z.string(),
	upstream_status: z.int().nullable(),
	request_id: z.string(),
});

export const userRef = z.object({
	id: z.int(),
	username: z.string(),
	first_name: z.string(),
	last_name: z.string(),
});

export type UserRef = z.infer<typeof userRef>;

/** Text that must be there, without blanks around it. */
export const defineTrimmedText = (max: number) =>
	refuseTurning(z.string().trim().min(1, "Must not be empty.").max(max, `Must have at most ${max} characters.`));
/** An address that mail is sent to. */
export const emailAddress = z.email("Must be an email address.").max(254, "Must be at most 254 characters.");
export const defineLongText = (max: number) =>
	refuseTurning(z.string().max(max, `Must have at most ${max} characters.`));
