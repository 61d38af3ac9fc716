/** Reads and changes the audit settings. A change is recorded under any settings. */
import type { AuditSettings, AuditSettingsPatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { completeAuditSettings } from "./rules/groups.ts";
import { findAuditSettings, mergeAuditSettings } from "./sql/settings.ts";

export const readAuditSettings = async (ctx: Context): Promise<AuditSettings> =>
	completeAuditSettings(await findAuditSettings(ctx.store.db));

export async function updateAuditSettings(
	ctx: Context,
	caller: Caller,
	patch: AuditSettingsPatch,
): Promise<AuditSettings> {
	const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
	if (Object.keys(given).length === 0) {
		markUnchanged(caller);
		return readAuditSettings(ctx);
	}
	return ctx.store.transaction(async (tx) => {
		const settings = completeAuditSettings(await mergeAuditSettings(tx, given));
		if (settings.compress_threshold_bytes > settings.content_max_bytes) {
			throw buildFieldError("compress_threshold_bytes", "Must not be above content_max_bytes.");
		}
		await ctx.events.changed(tx, caller, {
			targetType: "audit_settings",
			targetId: "",
			description: `${caller.username} changed the audit settings`,
			metadata: given,
		});
		// Last, so that settings read within this transaction are evicted too.
		await ctx.areas.audit.settings.changed(tx);
		return settings;
	});
}
