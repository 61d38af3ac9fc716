/** Purges entries and login attempts older than their group's retention, one day at a time. */
import type { Context } from "../../context.ts";
import { computeKeptSince, getCategories, KEPT_GROUPS, type KeptGroup } from "./rules/groups.ts";
import { declarePurge } from "./seal-entries.ts";
import { removeAttemptsBefore } from "./sql/attempts.ts";
import { lockChain } from "./sql/chain.ts";
import {
	emptyPurgedBlocks,
	isPurgeDeclared,
	listDaysBefore,
	removeDayEntries,
	removePurgedSegments,
} from "./sql/purge.ts";

/** The actor of a purge: the service. */
const ACTOR = {
	userId: null,
	username: "system",
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "admin_action", action: "audit_purge" },
} as const;

/** Declares a purge in the chain and in the log, before entries are deleted; once per day. */
async function declareGroupPurge(ctx: Context, group: KeptGroup, before: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await lockChain(tx);
		if (await isPurgeDeclared(tx, group, before)) return;
		await declarePurge(ctx, tx, group, before);
		await ctx.events.changed(tx, ACTOR, {
			targetType: "audit_log",
			targetId: "",
			description: `Entries of ${group} from before ${before} are removed: their time is over`,
			metadata: { group, before },
		});
	});
}

export async function purgeEntries(ctx: Context, signal?: AbortSignal): Promise<void> {
	const current = await ctx.areas.audit.settings.read(ctx.store.db);
	let any = false;
	for (const group of KEPT_GROUPS) {
		const before = computeKeptSince(current, group, ctx.clock.now());
		const categories = getCategories(group);
		const days = await listDaysBefore(ctx.store.db, categories, before);
		if (days.length === 0) continue;
		any = true;
		await declareGroupPurge(ctx, group, before);
		for (const day of days) {
			if (signal?.aborted) return;
			await ctx.store.transaction((tx) => removeDayEntries(tx, categories, day));
		}
	}
	if (any) {
		await ctx.store.transaction((tx) => emptyPurgedBlocks(tx));
		await ctx.store.transaction((tx) => removePurgedSegments(tx));
	}
	await removeAttemptsBefore(
		ctx.store.db,
		new Date(`${computeKeptSince(current, "authentication", ctx.clock.now())}T00:00:00Z`),
	);
}
