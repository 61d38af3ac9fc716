/** SQL that writes the audit log. */
import { CompiledQuery, type Insertable } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { AuditLogTable } from "../tables.ts";

/** Columns of an entry, without its id. */
export const COLUMNS = [
	"category",
	"action",
	"user_id",
	"username",
	"ip_address",
	"user_agent",
	"request_id",
	"description",
	"target_type",
	"target_id",
	"metadata",
	"content",
	"content_compressed",
	"content_size_bytes",
	"created_at",
] as const;

/**
 * A constant, because every change runs it and a query builder would compile it each time. Entries
 * are indexed when they are sealed (docs/adr/0012-audit.md).
 */
const INSERT = `insert into audit_unsealed (${COLUMNS.join(", ")}) values (${COLUMNS.map((_, i) => `$${i + 1}`).join(", ")})`;

type NewEntry = Required<Pick<Insertable<AuditLogTable>, (typeof COLUMNS)[number]>>;

const buildInsertQuery = (entry: NewEntry): CompiledQuery =>
	CompiledQuery.raw(
		INSERT,
		COLUMNS.map((column) => entry[column]),
	);

/** Sent with the commit: the transaction that writes an entry never reads it. */
export function insertEntry(tx: Tx, entry: NewEntry): Promise<void> {
	return tx.withCommit(buildInsertQuery(entry));
}

export async function insertEntryAlone(db: Db, entry: NewEntry): Promise<void> {
	await db.executeQuery(buildInsertQuery(entry));
}
