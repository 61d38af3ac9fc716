/** Wire shapes of the audit log. */
import type { AuditEntry, LoginAttempt } from "@weft/contracts";
import type { AttemptRow } from "./repo-attempts.ts";
import type { EntryRow } from "./repo-entries.ts";

export function presentEntry(row: EntryRow): AuditEntry {
	return { ...row, created_at: row.created_at.toISOString() };
}

export function presentAttempt(row: AttemptRow): LoginAttempt {
	return {
		...row,
		attempted_at: row.attempted_at.toISOString(),
	};
}
