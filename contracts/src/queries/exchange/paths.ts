/** Addresses of queries as one document: one entry per route. */

export const queryExchangePaths = {
	export: { id: "query_exchange.export", method: "GET", path: "/api/queries/saved-queries/export/", auth: "bearer" },
	import: { id: "query_exchange.import", method: "POST", path: "/api/queries/saved-queries/import/", auth: "bearer" },
} as const;
