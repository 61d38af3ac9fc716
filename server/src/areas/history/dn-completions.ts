/** Caches the dns of saved queries for autocompletion. */
import { LRUCache } from "lru-cache";
import type { Context } from "../../context.ts";
import { type Completion, createCompletion } from "./rules/completion.ts";
import { sumNameBytes } from "./sql/history.ts";

/** Limit of the cache, in bytes. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Approximate length of dns per stored byte of names. */
const COMPRESSION = 8;

/** A saved query's snapshots; null: of all connections. */
export interface CompletionScope {
	readonly savedQueryId: string;
	readonly connectionId: string | null;
}

export function createCompletions(ctx: Context) {
	async function readCompletion(scope: CompletionScope): Promise<Completion> {
		const size = (await sumNameBytes(ctx.store.db, scope.savedQueryId)) * COMPRESSION;
		return createCompletion(await ctx.areas.history.threads.completion(scope, { size }));
	}
	const cache = new LRUCache<string, Completion, CompletionScope>({
		maxSize: CACHE_BYTES,
		sizeCalculation: ({ size }) => size,
		// Requests at the same time share one read.
		fetchMethod: (_key, _stale, { context }) => readCompletion(context),
	});

	return {
		/** @param revision current revision of the query's snapshots: another one is read anew */
		async read(scope: CompletionScope, revision: string): Promise<Completion> {
			const key = `${scope.savedQueryId} ${scope.connectionId} ${revision}`;
			return (await cache.fetch(key, { context: scope })) ?? readCompletion(scope);
		},
	};
}
