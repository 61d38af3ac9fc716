/** Routes of queries as one document. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { uuid } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { queryExchangePaths } from "./paths.ts";
import { exchangeDocument, importAnswer, importInput } from "./shapes.ts";
import { EXCHANGE_LIMITS } from "./values.ts";

const common = { throttle: "user" } as const;
const read = { ...common, audit: { none: "read" } } as const;

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
			defineList(uuid, {
				max: EXCHANGE_LIMITS.queries,
				tooMany: `Must have at most ${EXCHANGE_LIMITS.queries} ids.`,
			}),
		)
		.optional(),
});

export const queryExchangeRoutes = {
	export: defineRoute({
		...queryExchangePaths.export,
		...read,
		summary: "Queries as one document that can be imported elsewhere: those asked for, or all own ones",
		permission: "view_savedquery",
		query: exportQuery,
		answers: { 200: exchangeDocument },
	}),
	import: defineRoute({
		...queryExchangePaths.import,
		...common,
		summary: "Save the queries of an exported document, each by itself, and tell what became of each",
		permission: "add_savedquery",
		audit: { category: "query_management", action: "query_import" },
		body: importInput,
		bodyLimit: EXCHANGE_LIMITS.body,
		answers: { 200: importAnswer },
	}),
} as const;
