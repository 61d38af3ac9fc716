/** Reads the audit log and login attempts. The routes' permission admits administrators only. */
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { AttemptList, AuditList, AuditStats, AuditWindow } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { buildNotFoundError } from "../../core/errors.ts";
import { getOffset, paginateRows } from "../../core/http/paging.ts";
import { buildUsernameKey } from "../accounts/sign-in/rules/names.ts";
import { presentAttempt, presentEntry } from "./present.ts";
import { listAttempts, listFailuresSince } from "./sql/attempts.ts";
import { findEntry, findEntryContent, listActorsSince, listEntries, listEntriesByIds } from "./sql/entries.ts";

const HOUR_MS = 3_600_000;
const WINDOWS: Readonly<Record<AuditWindow, number>> = {
	"24h": 24 * HOUR_MS,
	"7d": 168 * HOUR_MS,
	"30d": 720 * HOUR_MS,
};

export async function listAuditEntries(ctx: Context, { page, page_size, ...filter }: AuditList, url: string) {
	const cut = { limit: page_size, offset: getOffset({ page, page_size }) };
	const counted = await ctx.areas.audit.counts.count(ctx.store.db, filter, cut);
	const rows =
		counted.page === null
			? await listEntries(ctx.store.db, filter, { ...cut, ...counted })
			: await listEntriesByIds(ctx.store.db, counted.page, filter.ordering === "-created_at");
	return paginateRows(url, { page, page_size }, { count: counted.count, rows }, presentEntry);
}

/**
 * The entry as JSON text. Its content, which may be large, is decompressed while it is sent.
 */
export async function* readAuditEntry(ctx: Context, id: number): AsyncGenerator<Buffer | string, void> {
	const row = await findEntry(ctx.store.db, id);
	if (row === undefined) throw buildNotFoundError("There is no such entry.");
	const entry = JSON.stringify(presentEntry(row));
	const content = row.content_size_bytes === 0 ? null : await findEntryContent(ctx.store.db, id);
	if (content === null) {
		yield `${entry.slice(0, -1)},"content":null}`;
		return;
	}
	yield `${entry.slice(0, -1)},"content":`;
	if (row.content_compressed) yield* Readable.from([content]).pipe(createGunzip());
	else yield content;
	yield "}";
}

export async function readAuditStats(ctx: Context, window: AuditWindow): Promise<AuditStats> {
	const since = new Date(ctx.clock.now() - WINDOWS[window]);
	const [byCategory, failed_logins, unique_actors] = await Promise.all([
		ctx.areas.audit.counts.byCategory(ctx.store.db, since),
		listFailuresSince(ctx.store.db, since),
		listActorsSince(ctx.store.db, since),
	]);
	return {
		window,
		total: byCategory.reduce((sum, { count }) => sum + count, 0),
		by_category: Object.fromEntries(byCategory.map(({ category, count }) => [category, count])),
		failed_logins,
		unique_actors,
	};
}

export async function loginAttempts(ctx: Context, filter: AttemptList, url: string) {
	const key = filter.username ? buildUsernameKey(filter.username) : null;
	return paginateRows(url, filter, await listAttempts(ctx.store.db, filter, key), presentAttempt);
}
