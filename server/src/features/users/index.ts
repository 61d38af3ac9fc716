/** User management, groups, permissions and quotas. */
import type { AuthStats } from "@weft/contracts";
import type { Events } from "../../platform/events.ts";
import { type Repeating, repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { createRoutes } from "./routes.ts";
import { createUserBasics, createUserManagement, type UsersDeps } from "./service.ts";
import { createUserActions } from "./service-actions.ts";
import { createGroups } from "./service-groups.ts";
import { createInviting } from "./service-invitations.ts";
import { type Counts, createQuotaRules, type QuotaRules } from "./service-quotas.ts";
import { createSocketPlaces, type SocketPlaceContext, type SocketPlaces } from "./service-sockets.ts";
import { reportRoleDifferences } from "./upgrade-report.ts";

export { getPermission, ROLE_NAMES, type Role, rolesWith } from "./domain/roles.ts";
export type { SocketPlaces } from "./service-sockets.ts";

/** Separate from user management, because features that check quotas are created before it. */
export function createQuotas(deps: {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly counts: Counts;
}): QuotaRules {
	return createQuotaRules(deps);
}

/** Separate from user management, because the quotas count the sockets. */
export const createSockets = (context: SocketPlaceContext): SocketPlaces => createSocketPlaces({ ...context });

export interface UsersFeatureDeps extends Omit<UsersDeps, "users" | "groups"> {
	readonly events: Events;
	readonly clock: Clock;
	readonly log: Log;
	readonly quotas: Pick<QuotaRules, "usage">;
	/** A user's counters, from the features that count them. */
	readonly stats: (userId: number) => Promise<AuthStats>;
}

const REPORT_MS = 60_000;

export function createUsersFeature(deps: UsersFeatureDeps) {
	const all = { ...deps };
	const basics = createUserBasics(all);
	const management = createUserManagement({ ...all, basics });
	return {
		/** Starts the timers of a process that takes jobs. */
		work: (): Repeating =>
			repeatWork(deps, [
				{
					everyMs: REPORT_MS,
					failure: "administrators could not be notified of rights that differ after an upgrade",
					work: () => reportRoleDifferences(deps),
				},
			]),
		routes: createRoutes({
			quotas: deps.quotas,
			stats: deps.stats,
			management,
			inviting: createInviting({ ...all, basics, management }),
			actions: createUserActions({ ...all, basics }),
			groups: createGroups({
				...deps,

				everyoneChanged: deps.accounts.everyoneChanged,
			}),
		}),
	};
}
