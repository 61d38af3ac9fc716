/** Constants of saved queries. */

export const SAVED_QUERY_LIMITS = {
	name: 200,
	description: 10_000,
	tags: 50,
	tagLength: 50,
	sharedWith: 1_000,
	errorMessage: 20_000,
	searchLength: 200,
	/** Bytes of a request that carries a canvas or an answer. */
	body: 10 * 1024 * 1024,
} as const;

export const SAVED_QUERY_ORDERINGS = [
	"name",
	"created_at",
	"updated_at",
	"execution_count",
	"last_executed_at",
] as const;
