/** Statements that come again are prepared once on each connection: PostgreSQL then neither parses them again nor, mostly, plans them. */
import { LRUCache } from "lru-cache";
import { sqlState } from "../../ports/store.ts";

/** Uses after which a statement is prepared: what comes once or twice is not worth its memory. */
const USES = 3;
/** Statements of a pool that are prepared: each of its connections keeps some 20 KB for each that it uses. */
const PREPARED = 400;
/** Statements whose uses are counted; lists of all lengths make many. */
const COUNTED = 2_000;
const LONGEST_CHARS = 8_000;

/**
 * Whether a prepared statement returns other columns than when it was prepared, because the schema was changed beside
 * this process. The same work succeeds when it is tried again.
 */
export function isOutdatedStatement(error: unknown): boolean {
	return sqlState(error) === "0A000" && error instanceof Error && error.message.startsWith("cached plan must not");
}

/** Names for the statements of a pool, the same on each of its connections. */
export function statementNames() {
	const uses = new LRUCache<string, number>({ max: COUNTED });
	const names = new Map<string, string>();
	let given = 0;
	return {
		/** Undefined for one that is not to be prepared. */
		of(text: string): string | undefined {
			const name = names.get(text);
			if (name !== undefined || names.size >= PREPARED || text.length > LONGEST_CHARS) return name;
			const count = (uses.get(text) ?? 0) + 1;
			uses.set(text, count);
			if (count < USES) return undefined;
			uses.delete(text);
			const fresh = `weft_${++given}`;
			names.set(text, fresh);
			return fresh;
		},
		/** Every statement gets another name, and is thereby prepared anew; the old ones go with their connections. */
		forget(): void {
			names.clear();
		},
	};
}
