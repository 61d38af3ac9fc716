/** The audit settings in force. Each process caches them until any node announces a change. */
import type { AuditSettings } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { completeAuditSettings } from "./rules/groups.ts";
import { findAuditSettings } from "./sql/settings.ts";

const TOPIC = "audit_settings";

export function createCurrentSettings(ctx: Pick<Context, "announcements">) {
	let remembered: AuditSettings | null = null;
	/** Incremented by each announcement: settings read before one must not be cached after it. */
	let generation = 0;
	function invalidateSettings(): void {
		generation++;
		remembered = null;
	}
	ctx.announcements.listen(TOPIC, invalidateSettings, invalidateSettings);

	async function loadSettings(db: Db): Promise<AuditSettings> {
		const asOf = generation;
		const settings = completeAuditSettings(await findAuditSettings(db));
		if (asOf === generation) remembered = settings;
		return settings;
	}

	return {
		/** @param db the caller's transaction, if it has one */
		async read(db: Db): Promise<AuditSettings> {
			return remembered !== null && ctx.announcements.heard() ? remembered : loadSettings(db);
		},
		/** Must be called in the transaction that changes them. */
		async changed(tx: Tx): Promise<void> {
			await ctx.announcements.announce(tx, TOPIC, "");
			tx.afterCommit(invalidateSettings);
			invalidateSettings();
		},
	};
}

export type CurrentSettings = ReturnType<typeof createCurrentSettings>;
