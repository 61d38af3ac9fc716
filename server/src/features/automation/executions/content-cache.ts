/**
 * A cache of the request content that following an execution needs: rows to match, secrets to mask.
 */
import { LRUCache } from "lru-cache";
import { createLargeMask, type Mask } from "../../../platform/mask.ts";
import type { Db } from "../../../ports/store.ts";
import type { RequestContent } from "./dependencies.ts";
import { createRowMatcher, type RowMatcher } from "./domain/matching.ts";

export interface PreparedContent {
	readonly content: RequestContent | null;
	readonly matcher: RowMatcher;
	/** Hides the passwords of the rows. */
	readonly mask: Mask;
	readonly rowCount: number;
}

const KEPT = 50;
const ROWS_KEPT = 500_000;

/** The content of a launched request never changes, so that entries do not become stale. */
export function createContentCache(read: (db: Db, requestId: string) => Promise<RequestContent | null>) {
	const cache = new LRUCache<string, PreparedContent>({
		max: KEPT,
		maxSize: ROWS_KEPT,
		sizeCalculation: ({ rowCount }) => rowCount + 1,
	});
	return async (db: Db, requestId: string): Promise<PreparedContent> => {
		const known = cache.get(requestId);
		if (known !== undefined) return known;
		const content = await read(db, requestId);
		const sheets = content?.sheets ?? [];
		const prepared: PreparedContent = {
			content,
			matcher: createRowMatcher(sheets),
			mask: await createLargeMask(content?.secrets ?? []),
			rowCount: sheets.reduce((sum, { rows }) => sum + rows.length, 0),
		};
		if (content !== null) cache.set(requestId, prepared);
		return prepared;
	};
}
export type ContentCache = ReturnType<typeof createContentCache>;
