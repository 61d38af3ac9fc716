/** Reads the audit log and login attempts. The routes' permission admits administrators only. */
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { AttemptList, AuditList, AuditStats, AuditWindow } from "@weft/contracts";
import { notFound } from "../../platform/errors.ts";
import { getOffset, paginateRows } from "../../platform/http/paging.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { usernameKey } from "../auth/index.ts";
import { presentAttempt, presentEntry } from "./present.ts";
import { listAttempts, listFailuresSince } from "./repo-attempts.ts";
import type { CountsRepo } from "./repo-counts.ts";
import { findEntry, findEntryContent, listActorsSince, listEntries, listEntriesByIds } from "./repo-entries.ts";

export interface AuditDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly counts: CountsRepo;
}

const HOUR_MS = 3_600_000;
const WINDOWS: Readonly<Record<AuditWindow, number>> = {
	"24h": 24 * HOUR_MS,
	"7d": 168 * HOUR_MS,
	"30d": 720 * HOUR_MS,
};

export function createAuditReads({ store, clock, counts }: AuditDeps) {
	return {
		async list({ page, page_size, ...filter }: AuditList, url: string) {
			const cut = { limit: page_size, offset: getOffset({ page, page_size }) };
			const counted = await counts.count(store.db, filter, cut);
			const rows =
				counted.page === null
					? await listEntries(store.db, filter, { ...cut, ...counted })
					: await listEntriesByIds(store.db, counted.page, filter.ordering === "-created_at");
			return paginateRows(url, { page, page_size }, { count: counted.count, rows }, presentEntry);
		},

		/**
		 * The entry as JSON text. Its content, which may be large, is decompressed while it is sent.
		 */
		async *detail(id: number): AsyncGenerator<Buffer | string, void> {
			const row = await findEntry(store.db, id);
			if (row === undefined) throw notFound("There is no such entry.");
			const entry = JSON.stringify(presentEntry(row));
			const content = row.content_size_bytes === 0 ? null : await findEntryContent(store.db, id);
			if (content === null) {
				yield `${entry.slice(0, -1)},"content":null}`;
				return;
			}
			yield `${entry.slice(0, -1)},"content":`;
			if (row.content_compressed) yield* Readable.from([content]).pipe(createGunzip());
			else yield content;
			yield "}";
		},

		async stats(window: AuditWindow): Promise<AuditStats> {
			const since = new Date(clock.now() - WINDOWS[window]);
			const [byCategory, failed_logins, unique_actors] = await Promise.all([
				counts.byCategory(store.db, since),
				listFailuresSince(store.db, since),
				listActorsSince(store.db, since),
			]);
			return {
				window,
				total: byCategory.reduce((sum, { count }) => sum + count, 0),
				by_category: Object.fromEntries(byCategory.map(({ category, count }) => [category, count])),
				failed_logins,
				unique_actors,
			};
		},

		async loginAttempts(filter: AttemptList, url: string) {
			const key = filter.username ? usernameKey(filter.username) : null;
			return paginateRows(url, filter, await listAttempts(store.db, filter, key), presentAttempt);
		},
	};
}

export type AuditReads = ReturnType<typeof createAuditReads>;
