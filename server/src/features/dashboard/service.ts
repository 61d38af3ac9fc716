/** Combines the counters of other features, each behind one function of `DashboardDeps`. */
import {
	connectionRoutes,
	type DashboardStats,
	dashboardRoutes,
	type Opening,
	type PlatformInfo,
	pipelineRoutes,
	type ServiceHealth,
} from "@weft/contracts";
import { type Caller, type Identity, isAllowed } from "../../platform/caller.ts";
import { AppError } from "../../platform/errors.ts";
import type { PageQuery } from "../../platform/http/paging.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Cache } from "../../ports/cache.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Db, Store } from "../../ports/store.ts";
import { getHealth, sevenDaysBefore } from "./domain/health.ts";

type Reader = Pick<Identity, "userId" | "isAdmin">;

export interface AutomationCounts {
	/** Requests made since an instant: the user's own; all users' for administrators. */
	requestsSince(db: Db, user: Reader, since: Date): Promise<number>;
}

export interface ModelState {
	/** The class model in use; null while none is loaded. */
	loaded(): Promise<{ readonly controllerVersion: string; readonly installedAt: Date } | null>;
	/** Rejects when the class graph cannot be asked. */
	healthy(): Promise<void>;
}

export interface DashboardDeps {
	readonly store: Store;
	readonly cache: Pick<Cache, "ping">;
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
	readonly version: string;
	savedQueries(db: Db, userId: number): Promise<number>;
	scheduledTasks(
		db: Db,
		userId: number,
	): Promise<{ readonly all: number; readonly active: number; readonly failing: number }>;
	/** Captured since an instant: the user's own; all users' for administrators. */
	snapshotsSince(db: Db, user: Reader, since: Date): Promise<number>;
	unreadNotifications(db: Db, userId: number): Promise<number>;
	lastLogin(db: Db, userId: number): Promise<Date | null>;
	profile(caller: Caller): Promise<Opening["profile"]>;
	ticket(caller: Caller): Promise<NonNullable<Opening["ws_ticket"]>>;
	readonly quotas: Quotas;
	/** Of what the caller sees; `url`: the address of the list, for its links. */
	connections(caller: Caller, query: PageQuery, url: string): Promise<Opening["connections"]>;
	pipelineExecutions(caller: Caller, query: PageQuery, url: string): Promise<Opening["pipeline_executions"]>;
	/** Null: this service has no automation. */
	readonly automation: AutomationCounts | null;
	/** Null: this service has no class model. */
	readonly model: ModelState | null;
}

/** A store that does not answer within this time is down. */
const PROBE_TIMEOUT_MS = 2_000;
const MOST_CONNECTIONS = 200;
const MOST_RUNS = 20;

export function createDashboardService(deps: DashboardDeps) {
	const { store, cache, clock, log, version, automation, model } = deps;
	const startedAt = clock.now();

	async function probeService(name: string, ask: () => Promise<unknown>): Promise<ServiceHealth> {
		const began = performance.now();
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<never>((_resolve, reject) => {
			timer = setTimeout(() => reject(new Error(`No answer within ${PROBE_TIMEOUT_MS} ms.`)), PROBE_TIMEOUT_MS);
		});
		try {
			await Promise.race([ask(), late]);
			return getHealth(performance.now() - began);
		} catch (error) {
			log.warn({ err: error, name }, "a store does not answer");
			return "down";
		} finally {
			clearTimeout(timer);
		}
	}

	/** Null when the caller has no place for another socket: the page opens without live updates. */
	async function issueTicket(caller: Caller): Promise<Opening["ws_ticket"]> {
		try {
			await deps.quotas.check(caller, "sockets_max");
		} catch (error) {
			if (error instanceof AppError && error.body.quota !== undefined) return null;
			throw error;
		}
		return deps.ticket(caller);
	}

	return {
		async stats(user: Reader): Promise<DashboardStats> {
			const { db } = store;
			const { userId } = user;
			const since = new Date(sevenDaysBefore(clock.now()));
			const [saved_queries, tasks, automation_requests_7d, snapshots_7d, unread_notifications, lastLogin] =
				await Promise.all([
					deps.savedQueries(db, userId),
					deps.scheduledTasks(db, userId),
					automation?.requestsSince(db, user, since) ?? 0,
					deps.snapshotsSince(db, user, since),
					deps.unreadNotifications(db, userId),
					deps.lastLogin(db, userId),
				]);
			return {
				saved_queries,
				scheduled_tasks: { total: tasks.all, enabled: tasks.active, failing: tasks.failing },
				automation_requests_7d,
				snapshots_7d,
				unread_notifications,
				last_login: lastLogin?.toISOString() ?? null,
			};
		},

		/** @param url of this route, beside which the lists are */
		async opening(caller: Caller, url: string): Promise<Opening> {
			const first = <Answer>(
				{ permission, path }: typeof connectionRoutes.list | typeof pipelineRoutes.list,
				list: (caller: Caller, query: PageQuery, url: string) => Promise<Answer>,
				page_size: number,
			): Promise<Answer> | null => {
				if (!isAllowed(caller, permission)) return null;
				const address = url.replace(dashboardRoutes.opening.path, `${path}?page_size=${page_size}`);
				return list(caller, { page: 1, page_size }, address);
			};
			const [profile, connections, pipeline_executions, ws_ticket] = await Promise.all([
				deps.profile(caller),
				first(connectionRoutes.list, deps.connections, MOST_CONNECTIONS),
				first(pipelineRoutes.list, deps.pipelineExecutions, MOST_RUNS),
				issueTicket(caller),
			]);
			return { profile, connections, pipeline_executions, ws_ticket };
		},

		async platformInfo(): Promise<PlatformInfo> {
			const [relational_db, graph_db, cacheHealth] = await Promise.all([
				probeService("relational_db", store.healthy),
				model === null ? ("not_configured" as const) : probeService("graph_db", () => model.healthy()),
				probeService("cache", () => cache.ping()),
			]);
			// A store that is down is not queried.
			const loaded = graph_db === "down" ? null : ((await model?.loaded()) ?? null);
			return {
				version,
				controller_version: loaded?.controllerVersion ?? null,
				mim_installed_at: loaded?.installedAt.toISOString() ?? null,
				uptime_seconds: Math.floor((clock.now() - startedAt) / 1000),
				services: { relational_db, graph_db, cache: cacheHealth },
			};
		},
	};
}
export type DashboardService = ReturnType<typeof createDashboardService>;
