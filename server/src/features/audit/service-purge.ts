/** Purges entries and login attempts older than their group's retention, one day at a time. */
import type { Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { getCategories, KEPT_GROUPS, type KeptGroup, keptSince } from "./domain/groups.ts";
import { removeAttemptsBefore } from "./repo-attempts.ts";
import { lockChain } from "./repo-chain.ts";
import {
	emptyPurgedBlocks,
	isPurgeDeclared,
	listDaysBefore,
	removeDayEntries,
	removePurgedSegments,
} from "./repo-purge.ts";

import type { Chain } from "./service-chain.ts";
import type { CurrentSettings } from "./settings.ts";

export interface PurgeDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly events: Pick<Events, "changed">;
	readonly settings: Pick<CurrentSettings, "read">;
	readonly chain: Pick<Chain, "declarePurge">;
}

/** The actor of a purge: the service. */
const ACTOR = {
	userId: null,
	username: "system",
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "admin_action", action: "audit_purge" },
} as const;

export function createPurge({ store, clock, events, settings, chain }: PurgeDeps) {
	/** Declares a purge in the chain and in the log, before entries are deleted; once per day. */
	async function declareGroupPurge(group: KeptGroup, before: string): Promise<void> {
		await store.transaction(async (tx) => {
			await lockChain(tx);
			if (await isPurgeDeclared(tx, group, before)) return;
			await chain.declarePurge(tx, group, before);
			await events.changed(tx, ACTOR, {
				targetType: "audit_log",
				targetId: "",
				description: `Entries of ${group} from before ${before} are removed: their time is over`,
				metadata: { group, before },
			});
		});
	}

	return async (signal?: AbortSignal): Promise<void> => {
		const current = await settings.read(store.db);
		let any = false;
		for (const group of KEPT_GROUPS) {
			const before = keptSince(current, group, clock.now());
			const categories = getCategories(group);
			const days = await listDaysBefore(store.db, categories, before);
			if (days.length === 0) continue;
			any = true;
			await declareGroupPurge(group, before);
			for (const day of days) {
				if (signal?.aborted) return;
				await store.transaction((tx) => removeDayEntries(tx, categories, day));
			}
		}
		if (any) {
			await store.transaction((tx) => emptyPurgedBlocks(tx));
			await store.transaction((tx) => removePurgedSegments(tx));
		}
		await removeAttemptsBefore(store.db, new Date(`${keptSince(current, "authentication", clock.now())}T00:00:00Z`));
	};
}
