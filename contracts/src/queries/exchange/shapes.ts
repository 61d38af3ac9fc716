/** Queries as one document, to be taken to another installation. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { defineTrimmedText } from "../../core/common.ts";
import { driftRules } from "../../history/drift/shapes.ts";
import { DEFAULT_DRIFT_RULES } from "../../history/drift/values.ts";
import { savedQueryInput } from "../saved/shapes.ts";
import { EXCHANGE_FORMAT, EXCHANGE_LIMITS, EXCHANGE_VERSION, IMPORT_CONFLICTS, IMPORT_STATUSES } from "./values.ts";

/** A query without installation-specific data (ids, users, history). Its category is a name. */
export const exchangedQuery = z.object({
	...savedQueryInput.omit({ shared_with: true, category: true, connection_group: true }).shape,
	category: defineTrimmedText(100).nullable().default(null),
	/** A document without them has the default ones. */
	drift_rules: driftRules.default(DEFAULT_DRIFT_RULES),
});
export type ExchangedQuery = z.output<typeof exchangedQuery>;

export const exchangeDocument = z.object({
	format: z.literal(EXCHANGE_FORMAT, { error: `Must be ${EXCHANGE_FORMAT}.` }),
	version: z.literal(EXCHANGE_VERSION, { error: `Must be ${EXCHANGE_VERSION}: other versions are not known here.` }),
	queries: defineList(exchangedQuery, {
		max: EXCHANGE_LIMITS.queries,
		tooMany: `Must have at most ${EXCHANGE_LIMITS.queries} queries.`,
	}),
});
export type ExchangeDocument = z.output<typeof exchangeDocument>;

/** The queries are looked at one by one: a wrong one does not keep the others from being taken. */
export const importInput = z.object({
	document: exchangeDocument.extend({
		queries: defineList(z.unknown(), {
			max: EXCHANGE_LIMITS.queries,
			error: "Must be a list of queries.",
			tooMany: `Must have at most ${EXCHANGE_LIMITS.queries} queries.`,
		}),
	}),
	/** What happens to a query whose name the caller already uses. */
	on_conflict: z.enum(IMPORT_CONFLICTS, { error: `Must be one of: ${IMPORT_CONFLICTS.join(", ")}.` }).default("skip"),
});
export type ImportInput = z.output<typeof importInput>;

export const importAnswer = z.object({
	results: z.array(
		z.object({
			/** Place in the document. */
			index: z.int(),
			/** The name that the query has now; of an invalid one the name it came with. */
			name: z.string().nullable(),
			status: z.enum(IMPORT_STATUSES),
			/** Absent for an invalid one; of a skipped one the query that has the name. */
			id: z.string().optional(),
			errors: z.record(z.string(), z.array(z.unknown())).optional(),
		}),
	),
});
export type ImportAnswer = z.infer<typeof importAnswer>;
