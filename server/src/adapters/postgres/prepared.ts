/** Statements that come again are prepared once on each connection: PostgreSQL then neither parses them again nor, mostly, plans them. */
import { LRUCache } from "lru-cache";
import pg from "pg";
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

/** A client class for one pool, whose connections prepare the statements that come again. */
export function preparingClient(): new () => pg.Client {
	const names = createNames();

	function checked(error: unknown): void {
		if (isOutdatedStatement(error)) names.forget();
	}

	return class extends pg.Client {
		// biome-ignore lint/suspicious/noExplicitAny: pg declares six forms of it
		override query(text: any, values?: any, callback?: any): any {
			const name = typeof text === "string" && values?.length > 0 ? names.of(text) : undefined;
			if (name === undefined) return super.query(text, values, callback);
			if (callback !== undefined) {
				return super.query({ name, text, values }, (error: Error, result: pg.QueryResult) => {
					checked(error);
					callback(error, result);
				});
			}
			const alone = this.getTransactionStatus() === "I";
			return super.query({ name, text, values }).catch((error: unknown) => {
				checked(error);
				if (alone && isOutdatedStatement(error)) return super.query(text, values);
				throw error;
			});
		}
	};
}

/** Names for statements, the same on each connection. */
function createNames() {
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
