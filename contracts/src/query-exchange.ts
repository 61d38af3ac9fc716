/** Queries as one document, to be taken to another installation. */
import * as z from "zod";
import { listOf } from "./bounded.ts";
import { trimmed, uuid } from "./common.ts";
import { DEFAULT_DRIFT_RULES, driftRules } from "./drift.ts";
import { route } from "./route.ts";
import { savedQueryInput } from "./saved-queries.ts";

const QUERIES = "/api/queries/saved-queries/";
const common = { auth: "bearer", throttle: "user" } as const;
const read = { ...common, method: "GET", audit: { none: "read" } } as const;

export const EXCHANGE_FORMAT = "weft-queries";
export const EXCHANGE_VERSION = 1;
export const EXCHANGE_LIMITS = { queries: 1_000, body: 32 * 1024 * 1024 } as const;
export const IMPORT_CONFLICTS = ["skip", "rename", "replace"] as const;
export const IMPORT_STATUSES = ["created", "renamed", "replaced", "skipped", "invalid"] as const;

/** A query without installation-specific data (ids, users, history). Its category is a name. */
export const exchangedQuery = z.object({
	...savedQueryInput.omit({ shared_with: true, category: true, connection_group: true }).shape,
	category: trimmed(100).nullable().default(null),
	/** A document without them has the default ones. */
	drift_rules: driftRules.default(DEFAULT_DRIFT_RULES),
});
export type ExchangedQuery = z.output<typeof exchangedQuery>;

export const exchangeDocument = z.object({
	format: z.literal(EXCHANGE_FORMAT, { error: `Must be ${EXCHANGE_FORMAT}.` }),
	version: z.literal(EXCHANGE_VERSION, { error: `Must be ${EXCHANGE_VERSION}: other versions are not known here.` }),
	queries: listOf(exchangedQuery, {
		max: EXCHANGE_LIMITS.queries,
		tooMany: `Must have at most ${EXCHANGE_LIMITS.queries} queries.`,
	}),
});
export type ExchangeDocument = z.output<typeof exchangeDocument>;

/** The queries are looked at one by one: a wrong one does not keep the others from being taken. */
export const importInput = z.object({
	document: exchangeDocument.extend({
		queries: listOf(z.unknown(), {
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

const exportQuery = z.object({
	/** Comma separated; all own queries where absent. */
	ids: z
		.string()
		.max(100_000, `Must have at most ${EXCHANGE_LIMITS.queries} ids.`)
		.transform((text) => [
			...new Set(
				text
					.split(",")
					.map((id) => id.trim())
					.filter((id) => id !== ""),
			),
		])
		.pipe(
			listOf(uuid, {
				max: EXCHANGE_LIMITS.queries,
				tooMany: `Must have at most ${EXCHANGE_LIMITS.queries} ids.`,
			}),
		)
		.optional(),
});

export const queryExchangeRoutes = {
	export: route({
		...read,
		id: "query_exchange.export",
		path: `${QUERIES}export/`,
		summary: "Queries as one document that can be imported elsewhere: those asked for, or all own ones",
		permission: "view_savedquery",
		query: exportQuery,
		answers: { 200: exchangeDocument },
	}),
	import: route({
		...common,
		id: "query_exchange.import",
		method: "POST",
		path: `${QUERIES}import/`,
		summary: "Save the queries of an exported document, each by itself, and tell what became of each",
		permission: "add_savedquery",
		audit: { category: "query_management", action: "query_import" },
		body: importInput,
		bodyLimit: EXCHANGE_LIMITS.body,
		answers: { 200: importAnswer },
	}),
} as const;
