/** SQL of the audit settings. */
import type { AuditSettingsPatch } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";

/** What differs from the defaults. */
export async function findAuditSettings(db: Db): Promise<Record<string, unknown>> {
	return (await db.selectFrom("audit_settings").select("settings").executeTakeFirstOrThrow()).settings;
}

/** Merges, so that two requests that change different ones both count. */
export async function mergeAuditSettings(tx: Tx, patch: AuditSettingsPatch): Promise<Record<string, unknown>> {
	const row = await tx.db
		.updateTable("audit_settings")
		.set({ settings: sql`settings || ${JSON.stringify(patch)}::jsonb` })
		.returning("settings")
		.executeTakeFirstOrThrow();
	return row.settings;
}
