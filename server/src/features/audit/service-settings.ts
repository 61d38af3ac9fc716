/** Reads and changes the audit settings. A change is recorded under any settings. */
import type { AuditSettings, AuditSettingsPatch } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { invalidField } from "../../platform/errors.ts";
import { type Events, markUnchanged } from "../../platform/events.ts";
import type { Store } from "../../ports/store.ts";
import { withDefaults } from "./domain/groups.ts";
import { findAuditSettings, mergeAuditSettings } from "./repo-settings.ts";
import type { CurrentSettings } from "./settings.ts";

export interface SettingsServiceDeps {
	readonly store: Store;
	readonly current: CurrentSettings;
	readonly events: Pick<Events, "changed">;
}

export function createAuditSettings({ store, current, events }: SettingsServiceDeps) {
	return {
		read: async (): Promise<AuditSettings> => withDefaults(await findAuditSettings(store.db)),

		async update(caller: Caller, patch: AuditSettingsPatch): Promise<AuditSettings> {
			const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
			if (Object.keys(given).length === 0) {
				markUnchanged(caller);
				return this.read();
			}
			return store.transaction(async (tx) => {
				const settings = withDefaults(await mergeAuditSettings(tx, given));
				if (settings.compress_threshold_bytes > settings.content_max_bytes) {
					throw invalidField("compress_threshold_bytes", "Must not be above content_max_bytes.");
				}
				await events.changed(tx, caller, {
					targetType: "audit_settings",
					targetId: "",
					description: `${caller.username} changed the audit settings`,
					metadata: given,
				});
				// Last, so that settings read within this transaction are evicted too.
				await current.changed(tx);
				return settings;
			});
		},
	};
}

export type AuditSettingsService = ReturnType<typeof createAuditSettings>;
