/**
 * Prepares statements that recur on each connection: PostgreSQL then skips parsing and, mostly,
 * planning.
 */
import { LRUCache } from "lru-cache";
import { getSqlState } from "../../core/ports/store.ts";

/**
 * A statement is prepared from this use on: one that is used less often is not worth its memory.
 */
const MIN_USES = 3;
/**
 * Prepared statements of a pool. Each connection keeps some 20 KB for each of them that it uses.
 */
const MAX_PREPARED = 400;
/** Statements whose uses are counted. Lists of different lengths produce many. */
const MAX_COUNTED = 2_000;
const MAX_STATEMENT_CHARS = 8_000;

/**
 * Whether a prepared statement would now return other columns, because the schema was changed
 * beside this process. A retry succeeds.
 */
export function isOutdatedStatement(error: unknown): boolean {
	return getSqlState(error) === "0A000" && error instanceof Error && error.message.startsWith("cached plan must not");
}

export type StatementNames = ReturnType<typeof createStatementNames>;

/** Names for the statements of a pool, the same on each of its connections. */
export function createStatementNames() {
	const uses = new LRUCache<string, number>({ max: MAX_COUNTED });
	const names = new Map<string, string>();
	let count = 0;
	return {
		/** Undefined for a statement that is not prepared. */
		getName(text: string): string | undefined {
			const known = names.get(text);
			if (known !== undefined || names.size >= MAX_PREPARED || text.length > MAX_STATEMENT_CHARS) return known;
			const used = (uses.get(text) ?? 0) + 1;
			uses.set(text, used);
			if (used < MIN_USES) return undefined;
			uses.delete(text);
			const name = `weft_${++count}`;
			names.set(text, name);
			return name;
		},
		/**
		 * Gives every statement a new name, so that it is prepared again; the old ones end with their
		 * connections.
		 */
		reset(): void {
			names.clear();
		},
	};
}
