/** Settings that all tasks share. */
import type { TaskSettings, TaskSettingsPatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { markUnchanged } from "../../core/events.ts";
import { presentSettings } from "./present.ts";
import { findTaskSettings, updateTaskSettings } from "./sql/tasks.ts";

export const readTaskSettings = async (ctx: Context): Promise<TaskSettings> =>
	presentSettings(await findTaskSettings(ctx.store.db));

export async function changeTaskSettings(
	ctx: Context,
	caller: Caller,
	patch: TaskSettingsPatch,
): Promise<TaskSettings> {
	const given = Object.entries(patch).filter(([, value]) => value !== undefined);
	return ctx.store.transaction(async (tx) => {
		if (given.length === 0) {
			markUnchanged(caller);
			return presentSettings(await findTaskSettings(tx.db));
		}
		const row = await updateTaskSettings(tx, Object.fromEntries(given));
		await ctx.events.changed(tx, caller, {
			targetType: "task_settings",
			targetId: 1,
			description: `${caller.username} changed the settings of scheduled tasks`,
			metadata: Object.fromEntries(given),
		});
		return presentSettings(row);
	});
}
