/** Each user's snapshot settings. */
import type { SnapshotSettings, SnapshotSettingsBody } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { markUnchanged } from "../../platform/events.ts";
import { findSnapshotSettings, saveSnapshotSettings } from "./repo-settings.ts";
import { DEFAULT_SETTINGS, type TimeMachineDeps } from "./service.ts";

export function createSettings({ store, events }: Pick<TimeMachineDeps, "store" | "events">) {
	async function readSettings(caller: Caller): Promise<SnapshotSettings> {
		const found = await findSnapshotSettings(store.db, caller.userId);
		return found ?? store.transaction((tx) => saveSnapshotSettings(tx, caller.userId, DEFAULT_SETTINGS, {}));
	}

	return {
		/** Creates them from the defaults when they are read for the first time. */
		read: readSettings,

		async update(caller: Caller, input: SnapshotSettingsBody): Promise<SnapshotSettings> {
			const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
			if (Object.keys(given).length === 0) {
				markUnchanged(caller);
				return readSettings(caller);
			}
			return store.transaction(async (tx) => {
				const saved = await saveSnapshotSettings(tx, caller.userId, DEFAULT_SETTINGS, given);
				await events.changed(tx, caller, {
					targetType: "snapshot_settings",
					targetId: caller.userId,
					description: `${caller.username} changed their snapshot settings`,
					metadata: given,
				});
				return saved;
			});
		},
	};
}
