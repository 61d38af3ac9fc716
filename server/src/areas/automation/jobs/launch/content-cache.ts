/**
 * A cache of the request content that following an execution needs: rows to match, secrets to mask.
 */
import { LRUCache } from "lru-cache";
import type { Context } from "../../../../context.ts";
import { createLargeMask, type Mask } from "../../../../core/mask.ts";
import type { Db } from "../../../../core/ports/store.ts";
import { readRequestContent } from "../request/request-progress.ts";
import { createRowMatcher, type RowMatcher } from "../rules/matching.ts";
import type { RequestContent } from "../rules/request-content.ts";

export interface PreparedContent {
	readonly content: RequestContent | null;
	readonly matcher: RowMatcher;
	/** Hides the passwords of the rows. */
	readonly mask: Mask;
	readonly rowCount: number;
}

const KEPT = 50;
const ROWS_KEPT = 500_000;

/** Entries do not become stale: the content of a launched request never changes. */
export type ContentCache = LRUCache<string, PreparedContent>;

export const createContentCache = (): ContentCache =>
	new LRUCache({
		max: KEPT,
		maxSize: ROWS_KEPT,
		sizeCalculation: ({ rowCount }) => rowCount + 1,
	});

export async function prepareContent(ctx: Context, db: Db, requestId: string): Promise<PreparedContent> {
	const cache = ctx.areas.automation.contents;
	const known = cache.get(requestId);
	if (known !== undefined) return known;
	const content = await readRequestContent(ctx, db, requestId);
	const sheets = content?.sheets ?? [];
	const prepared: PreparedContent = {
		content,
		matcher: createRowMatcher(sheets),
		mask: await createLargeMask(content?.secrets ?? []),
		rowCount: sheets.reduce((sum, { rows }) => sum + rows.length, 0),
	};
	if (content !== null) cache.set(requestId, prepared);
	return prepared;
}
