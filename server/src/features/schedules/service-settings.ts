/** Settings that all tasks share. */
import type { TaskSettings, TaskSettingsPatch } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { markUnchanged } from "../../platform/events.ts";
import type { ScheduleDependencies } from "./dependencies.ts";
import { presentSettings } from "./present.ts";
import { findTaskSettings, updateTaskSettings } from "./repo.ts";

export function createTaskSettings({ store, events }: Pick<ScheduleDependencies, "store" | "events">) {
	return {
		read: async (): Promise<TaskSettings> => presentSettings(await findTaskSettings(store.db)),

		async change(caller: Caller, patch: TaskSettingsPatch): Promise<TaskSettings> {
			const given = Object.entries(patch).filter(([, value]) => value !== undefined);
			return store.transaction(async (tx) => {
				if (given.length === 0) {
					markUnchanged(caller);
					return presentSettings(await findTaskSettings(tx.db));
				}
				const row = await updateTaskSettings(tx, Object.fromEntries(given));
				await events.changed(tx, caller, {
					targetType: "task_settings",
					targetId: 1,
					description: `${caller.username} changed the settings of scheduled tasks`,
					metadata: Object.fromEntries(given),
				});
				return presentSettings(row);
			});
		},
	};
}
export type TaskSettingsService = ReturnType<typeof createTaskSettings>;
