/** The matching entries as a file. The export is recorded before its first byte is sent. */
import { AUDIT_EXPORT_ROWS, type AuditFilter } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { formatCsvLine } from "../../core/csv.ts";
import { getDay } from "./rules/groups.ts";
import type { Count } from "./sql/counts.ts";
import type { EntryRow, Place } from "./sql/entries.ts";
import { findLastEntryId, listNextEntries } from "./sql/entries.ts";

const COLUMNS = [
	"id",
	"created_at",
	"category",
	"action",
	"username",
	"ip_address",
	"target_type",
	"target_id",
	"description",
] as const;
const STEP = 500;

interface AuditFile {
	readonly pieces: AsyncGenerator<string, void>;
	readonly headers: Record<string, string>;
}

async function* streamCsv(
	ctx: Context,
	filter: AuditFilter,
	lastId: number,
	counted: Count,
): AsyncGenerator<string, void> {
	let left = AUDIT_EXPORT_ROWS;
	let place: Place | null = null;
	yield formatCsvLine(COLUMNS);
	while (left > 0) {
		const limit = Math.min(STEP, left);
		const rows: EntryRow[] = await listNextEntries(ctx.store.db, filter, { ...counted, lastId, place, limit });
		yield rows.map(formatCsvRow).join("");
		const last = rows.at(-1);
		if (last === undefined || rows.length < limit) return;
		left -= rows.length;
		place = { id: last.id, at: last.created_at };
	}
}

export async function exportAuditEntries(ctx: Context, caller: Caller, filter: AuditFilter): Promise<AuditFile> {
	const counted = await ctx.areas.audit.counts.count(ctx.store.db, filter);
	const { count } = counted;
	const rows = Math.min(count, AUDIT_EXPORT_ROWS);
	// Without the entry that this export writes.
	const lastId = await findLastEntryId(ctx.store.db);
	await ctx.store.transaction((tx) =>
		ctx.events.changed(tx, caller, {
			targetType: "audit_log",
			targetId: "",
			description: `${caller.username} exported ${rows} of ${count} entries of the audit log`,
			metadata: { filter: omitUndefined(filter), rows, matching: count },
		}),
	);
	return {
		pieces: streamCsv(ctx, filter, lastId, counted),
		headers: {
			"content-disposition": `attachment; filename="audit-log-${getDay(ctx.clock.now())}.csv"`,
			"x-total-count": String(count),
		},
	};
}

const omitUndefined = (filter: AuditFilter) =>
	Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

const formatCsvRow = (row: EntryRow): string =>
	formatCsvLine(COLUMNS.map((column) => (column === "created_at" ? row.created_at.toISOString() : row[column])));
