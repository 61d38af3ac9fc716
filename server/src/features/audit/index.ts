/** The audit log. Subscribes to changes and writes an entry in the transaction of each. */
import type { Events } from "../../platform/events.ts";
import type { BinderDeps, BoundRoute } from "../../platform/http/binder.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { Announcements } from "../../ports/announcements.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store.ts";
import { createAuditJobs } from "./jobs.ts";
import { useRepeatableRead } from "./repo-chain.ts";
import { createCountsRepo } from "./repo-counts.ts";
import { createRoutes } from "./routes.ts";
import { createAuditReads } from "./service.ts";
import { createChain } from "./service-chain.ts";
import { createAuditExport } from "./service-export.ts";
import { createPurge } from "./service-purge.ts";
import { createAccessRecorder, createRecorder } from "./service-record.ts";
import { createAuditSettings } from "./service-settings.ts";
import { createTermIndex } from "./service-terms.ts";
import { type Verified, verifyChain } from "./service-verify.ts";
import { createCurrentSettings } from "./settings.ts";

export { auditSecrets } from "./service-chain.ts";

export interface AuditFeatureDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly announcements: Announcements;
	readonly events: Events;
	readonly ids: Pick<Ids, "token">;
	readonly secrets: Secrets;
	readonly log: Log;
}

export interface Audit {
	readonly routes: BoundRoute[];
	/** Records a call of the interface, while that is switched on. */
	recordAccess: NonNullable<BinderDeps["recordAccess"]>;
	/** Starts the timers of a process that does background work. */
	work(): Repeating;
}

export function createAudit(deps: AuditFeatureDeps): Audit {
	const current = createCurrentSettings(deps);
	const recording = { ...deps, settings: current };
	deps.events.inTransaction("changed", createRecorder(recording));
	const all = {
		...deps,

		counts: createCountsRepo(),
	};

	const chain = createChain(deps);
	const purge = createPurge({ ...all, settings: current, chain });
	const index = createTermIndex(deps);
	const { work } = createAuditJobs({ ...deps, seal: chain.seal, extend: index.extend, purge });
	return {
		work,
		recordAccess: createAccessRecorder(recording),
		routes: createRoutes({
			reads: createAuditReads(all),
			exports: createAuditExport(all),
			settings: createAuditSettings({ ...deps, current }),
		}),
	};
}

/** For the command `audit-verify`. @param heads MACs noted earlier; each must be in the chain */
export function verifyAudit(
	{ store, secrets }: Pick<AuditFeatureDeps, "store" | "secrets">,
	heads: readonly string[],
): Promise<Verified> {
	return store.transaction(async (tx) => {
		await useRepeatableRead(tx);
		return verifyChain({ db: tx.db, secrets }, heads);
	});
}
