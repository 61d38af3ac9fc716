/** Wire shapes of the audit log. */
import type { AuditEntry, LoginAttempt } from "@weft/contracts";
import type { AttemptRow } from "./sql/attempts.ts";
import type { EntryRow } from "./sql/entries.ts";

export function presentEntry(row: EntryRow): AuditEntry {
	return { ...row, ip_address: presentAddress(row), created_at: row.created_at.toISOString() };
}

/** Null where a request's address is unknown; background work has none, which is empty. */
const presentAddress = ({ ip_address, request_id }: EntryRow): string | null =>
	ip_address === "" && request_id !== "" ? null : ip_address;

export function presentAttempt(row: AttemptRow): LoginAttempt {
	return {
		...row,
		ip_address: row.ip_address || null,
		attempted_at: row.attempted_at.toISOString(),
	};
}
