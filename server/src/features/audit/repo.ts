/** SQL that writes the audit log. */
import { CompiledQuery, type Insertable } from "kysely";
import type { AuditLogTable } from "../../ports/schema.ts";
import type { Db } from "../../ports/store.ts";

const COLUMNS = [
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

/** Written once: every change of the service goes through it, and a query builder would spell it out anew each time. */
const INSERT = `insert into audit_log (${COLUMNS.join(", ")}) values (${COLUMNS.map((_, i) => `$${i + 1}`).join(", ")})`;

export type NewEntry = Required<Pick<Insertable<AuditLogTable>, (typeof COLUMNS)[number]>>;

export function createAuditRepo() {
	return {
		async insert(db: Db, entry: NewEntry): Promise<void> {
			await db.executeQuery(
				CompiledQuery.raw(
					INSERT,
					COLUMNS.map((column) => entry[column]),
				),
			);
		},
	};
}

export type AuditRepo = ReturnType<typeof createAuditRepo>;
