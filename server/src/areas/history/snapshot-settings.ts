/** Each user's snapshot settings. */
import type { SnapshotSettings, SnapshotSettingsBody } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { markUnchanged } from "../../core/events.ts";
import { findSnapshotSettings, saveSnapshotSettings } from "./sql/settings.ts";

const DEFAULT_SETTINGS: SnapshotSettings = {
	retention_policy: "days",
	retention_days: 90,
	retention_count: 100,
	max_snapshot_size_mb: 10,
	warn_large_snapshots: true,
	auto_cleanup_enabled: true,
	store_duplicates: false,
};

/** The settings of a user, or those of users who have saved none. */
export const findSettingsOrDefault = async (ctx: Context, userId: number): Promise<SnapshotSettings> =>
	(await findSnapshotSettings(ctx.store.db, userId)) ?? DEFAULT_SETTINGS;

export async function readSettings(ctx: Context, caller: Caller): Promise<SnapshotSettings> {
	const found = await findSnapshotSettings(ctx.store.db, caller.userId);
	return found ?? ctx.store.transaction((tx) => saveSnapshotSettings(tx, caller.userId, DEFAULT_SETTINGS, {}));
}

export async function updateSnapshotSettings(
	ctx: Context,
	caller: Caller,
	input: SnapshotSettingsBody,
): Promise<SnapshotSettings> {
	const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
	if (Object.keys(given).length === 0) {
		markUnchanged(caller);
		return readSettings(ctx, caller);
	}
	return ctx.store.transaction(async (tx) => {
		const saved = await saveSnapshotSettings(tx, caller.userId, DEFAULT_SETTINGS, given);
		await ctx.events.changed(tx, caller, {
			targetType: "snapshot_settings",
			targetId: caller.userId,
			description: `${caller.username} changed their snapshot settings`,
			metadata: given,
		});
		return saved;
	});
}
