/** Combines the counters of all areas, and the health of what the service builds on. */
import {
	changeWindowRoutes,
	connectionRoutes,
	type DashboardStats,
	dashboardRoutes,
	type Opening,
	type PlatformInfo,
	pipelineRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Caller, type Identity, isAllowed } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { issueTicket, readProfile } from "../accounts/sign-in/manage-own-account.ts";
import { findLastLogin } from "../accounts/sign-in/sql/sign-in.ts";
import { countRequestsSince } from "../automation/jobs/sql/requests.ts";
import { listConnections } from "../fabrics/manage-connections.ts";
import { listSnapshotQueries } from "../history/list-snapshots.ts";
import { countSince } from "../history/sql/history.ts";
import { countUnread } from "../notifications/read-notifications.ts";
import { countOwnQueries } from "../queries/saved/sql/queries.ts";
import { listRuns } from "../runs/pipelines/read-runs.ts";
import { countOwnTasks } from "../schedules/sql/tasks.ts";
import { listWindows } from "../windows/read-window.ts";
import { probeService } from "./probe-service.ts";
import { getSevenDaysBefore } from "./rules/health.ts";

const MOST_CONNECTIONS = 200;
const MOST_RUNS = 20;
const MOST_WINDOWS = 200;

/** Snapshots and automation requests are the user's own; all users' for administrators. */
export async function readStats(ctx: Context, user: Pick<Identity, "userId" | "isAdmin">): Promise<DashboardStats> {
	const { db } = ctx.store;
	const { userId } = user;
	const since = new Date(getSevenDaysBefore(ctx.clock.now()));
	const [saved_queries, tasks, automation_requests_7d, snapshots_7d, unread_notifications, lastLogin] =
		await Promise.all([
			countOwnQueries(db, userId),
			countOwnTasks(db, userId),
			countRequestsSince(db, user, since),
			countSince(db, user, since),
			countUnread(ctx, user),
			findLastLogin(db, userId),
		]);
	return {
		saved_queries,
		scheduled_tasks: { total: tasks.all, enabled: tasks.active, failing: tasks.failing },
		automation_requests_7d,
		snapshots_7d,
		unread_notifications,
		last_login: lastLogin?.toISOString() ?? null,
	};
}

/** Null when the caller has no place for another socket: the page opens without live updates. */
async function issueTicketIfFree(ctx: Context, caller: Caller): Promise<Opening["ws_ticket"]> {
	try {
		await ctx.quotas.check(caller, "sockets_max");
	} catch (error) {
		if (error instanceof AppError && error.body.quota !== undefined) return null;
		throw error;
	}
	return issueTicket(ctx, caller);
}

/**
 * The address of the first page of a list.
 *
 * @param url of the route of the opening, beside which the lists are
 */
const buildListUrl = (url: string, { path }: { readonly path: string }, page_size: number, filter = ""): string =>
	url.replace(dashboardRoutes.opening.path, `${path}?${filter}page_size=${page_size}`);

async function listFirstConnections(ctx: Context, caller: Caller, url: string): Promise<Opening["connections"]> {
	const { list } = connectionRoutes;
	if (!isAllowed(caller, list.permission)) return null;
	const query = { page: 1, page_size: MOST_CONNECTIONS };
	return listConnections(ctx, caller, query, buildListUrl(url, list, MOST_CONNECTIONS));
}

async function listFirstRuns(ctx: Context, caller: Caller, url: string): Promise<Opening["pipeline_executions"]> {
	const { list } = pipelineRoutes;
	if (!isAllowed(caller, list.permission)) return null;
	const query = { page: 1, page_size: MOST_RUNS };
	return listRuns(ctx, caller, query, buildListUrl(url, list, MOST_RUNS));
}

async function listOpenWindows(ctx: Context, caller: Caller, url: string): Promise<Opening["open_windows"]> {
	const { list } = changeWindowRoutes;
	if (!isAllowed(caller, list.permission)) return null;
	const query = { page: 1, page_size: MOST_WINDOWS, state: "open", ordering: "-created_at" } as const;
	return listWindows(ctx, caller, query, buildListUrl(url, list, MOST_WINDOWS, "state=open&"));
}

/** @param url of this route, beside which the lists are */
export async function readOpening(ctx: Context, caller: Caller, url: string): Promise<Opening> {
	const [profile, connections, pipeline_executions, snapshot_queries, open_windows, ws_ticket] = await Promise.all([
		readProfile(ctx, caller),
		listFirstConnections(ctx, caller, url),
		listFirstRuns(ctx, caller, url),
		isAllowed(caller, timeMachineRoutes.queries.permission) ? listSnapshotQueries(ctx, caller) : null,
		listOpenWindows(ctx, caller, url),
		issueTicketIfFree(ctx, caller),
	]);
	return { profile, connections, pipeline_executions, snapshot_queries, open_windows, ws_ticket };
}

/** @param startedAt when the process started, in milliseconds since 1970 */
export async function readPlatformInfo(ctx: Context, startedAt: number): Promise<PlatformInfo> {
	const model = ctx.areas.model.loaded;
	const [relational_db, graph_db, cache] = await Promise.all([
		probeService(ctx, "relational_db", () => ctx.store.healthy()),
		probeService(ctx, "graph_db", () => model.current()),
		probeService(ctx, "cache", () => ctx.cache.ping()),
	]);
	// A store that is down is not queried.
	const version = graph_db === "down" ? undefined : (await model.current())?.version;
	return {
		version: ctx.version,
		controller_version: version?.controller_version ?? null,
		mim_installed_at: version?.imported_at.toISOString() ?? null,
		uptime_seconds: Math.floor((ctx.clock.now() - startedAt) / 1000),
		services: { relational_db, graph_db, cache },
	};
}
