/** What executions need of their requests while they are watched, read once and remembered for a while: rows to match, secrets to mask. */
import { LRUCache } from "lru-cache";
import type { Db } from "../../ports/store.ts";
import { createMask } from "./domain/output.ts";
import { createRowMatcher, type RowMatcher } from "./domain/rows.ts";
import type { RequestContent } from "./needs.ts";

export interface Watched {
	readonly content: RequestContent | null;
	readonly matcher: RowMatcher;
	readonly mask: (text: string) => string;
	readonly rowCount: number;
}

const KEPT = 50;
const ROWS_KEPT = 500_000;

/** What a request launches is frozen, so that what is remembered stays true. */
export function createContents(read: (db: Db, requestId: string) => Promise<RequestContent | null>) {
	const cache = new LRUCache<string, Watched>({
		max: KEPT,
		maxSize: ROWS_KEPT,
		sizeCalculation: ({ rowCount }) => rowCount + 1,
	});
	return async (db: Db, requestId: string): Promise<Watched> => {
		const known = cache.get(requestId);
		if (known !== undefined) return known;
		const content = await read(db, requestId);
		const sheets = content?.sheets ?? [];
		const watched: Watched = {
			content,
			matcher: createRowMatcher(sheets),
			mask: createMask(content?.secrets ?? []),
			rowCount: sheets.reduce((sum, { rows }) => sum + rows.length, 0),
		};
		if (content !== null) cache.set(requestId, watched);
		return watched;
	};
}
export type Contents = ReturnType<typeof createContents>;
