/** User management, groups, permissions and quotas. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import { createRoutes } from "./routes.ts";
import { reportRoleDifferences } from "./upgrade-report.ts";

export { getPermission, listRolesWith as rolesWith, ROLE_NAMES, type Role } from "./rules/roles.ts";

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
