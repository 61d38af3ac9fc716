/** User management, groups, permissions and quotas. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store.ts";
import { createRoutes } from "./routes.ts";
import { type Counts, createQuotaRules, type QuotaRules } from "./service-quotas.ts";
import { createSocketPlaces, type SocketPlaceContext, type SocketPlaces } from "./service-sockets.ts";
import { reportRoleDifferences } from "./upgrade-report.ts";

export { getPermission, ROLE_NAMES, type Role, rolesWith } from "./domain/roles.ts";
export type { QuotaRules } from "./service-quotas.ts";
export type { SocketPlaces } from "./service-sockets.ts";

/** Separate from user management, because areas that check quotas are created before it. */
export function createQuotas(deps: {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly counts: Counts;
}): QuotaRules {
	return createQuotaRules(deps);
}

/** Separate from user management, because the quotas count the sockets. */
export const createSockets = (context: SocketPlaceContext): SocketPlaces => createSocketPlaces({ ...context });

const REPORT_MS = 60_000;

export interface UsersArea {
	readonly routes: BoundRoute[];
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createUsersArea(ctx: Context): UsersArea {
	return {
		work: (): Repeating =>
			repeatWork(ctx, [
				{
					everyMs: REPORT_MS,
					failure: "administrators could not be notified of rights that differ after an upgrade",
					work: () => reportRoleDifferences(ctx),
				},
			]),
		routes: createRoutes(ctx),
	};
}
