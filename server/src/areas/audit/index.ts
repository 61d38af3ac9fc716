/** The audit log. Subscribes to changes and writes an entry in the transaction of each. */
import type { Context } from "../../context.ts";
import type { BinderParts, BoundRoute } from "../../core/http/binder.ts";
import type { Repeating } from "../../core/repeating.ts";
import { startAuditTimers } from "./jobs.ts";
import { recordAccess, recordChange } from "./record-changes.ts";
import { createRoutes } from "./routes.ts";
import { type CurrentSettings, createCurrentSettings } from "./settings.ts";
import { useRepeatableRead } from "./sql/chain.ts";
import { type CountsRepo, createCountsRepo } from "./sql/counts.ts";
import { type Verified, verifyChain } from "./verify-chain.ts";

export { auditSecrets } from "./seal-entries.ts";

export interface Audit {
	readonly routes: BoundRoute[];
	/** Records a call of the interface, while that is switched on. */
	recordAccess: NonNullable<BinderParts["recordAccess"]>;
	/** The settings in force in this process. */
	readonly settings: CurrentSettings;
	/** Counts of entries that this process has read. */
	readonly counts: CountsRepo;
	/** Starts the timers of a process that does background work. */
	work(): Repeating;
}

/** Writes an entry in the transaction of each change. */
export function recordChanges(ctx: Pick<Context, "announcements" | "clock" | "events">): CurrentSettings {
	const settings = createCurrentSettings(ctx);
	ctx.events.inTransaction("changed", (tx, change) => recordChange({ clock: ctx.clock, settings }, tx, change));
	return settings;
}

export function createAudit(ctx: Context): Audit {
	return {
		settings: recordChanges(ctx),
		counts: createCountsRepo(),
		work: () => startAuditTimers(ctx),
		recordAccess: (caller, access) => recordAccess(ctx, caller, access),
		routes: createRoutes(ctx),
	};
}

/** For the command `audit-verify`. @param heads MACs noted earlier; each must be in the chain */
export function verifyAudit(
	{ store, secrets }: Pick<Context, "store" | "secrets">,
	heads: readonly string[],
): Promise<Verified> {
	return store.transaction(async (tx) => {
		await useRepeatableRead(tx);
		return verifyChain({ db: tx.db, secrets }, heads);
	});
}
