/**
 * Requests that read the big tables: lists with filters and pages, counts, statistics, cleanups.
 */
import { CONNECTIONS, QUERIES, TASKS } from "./tables.ts";

/** The address of request number n. */
export type Address = (n: number) => string;

const formatUuid = (mark: string, number: number) =>
	`00000000-0000-7${mark}-8000-${number.toString(16).padStart(12, "0")}`;
const pickQueryId = (n: number) => formatUuid("001", 1 + ((n * 37) % QUERIES));
/** Saved queries with a schedule, hence with snapshots. */
const pickScheduledQueryId = (n: number) => formatUuid("001", 1 + ((n * 37) % TASKS));
const pickTaskId = (n: number) => formatUuid("003", 1 + ((n * 37) % TASKS));
const pickDay = (n: number) => new Date(Date.now() - (1 + ((n * 13) % 360)) * 86_400_000).toISOString();
const pickUsername = (n: number) => `person-${1 + ((n * 37) % 200)}`;
const pickValue = (list: readonly string[], n: number) => list[n % list.length];

const LOGS = "/api/audit/logs/";
const ATTEMPTS = "/api/audit/login-attempts/";
const EXECUTED = "/api/queries/execution-logs/";
const SCHEDULED = "/api/queries/scheduled-executions/";
const RUNS = "/api/queries/pipeline-executions/";
const NOTICES = "/api/notifications/notifications/";

/** Of everybody. */
export const EVERYBODY: Readonly<Record<string, Address>> = {
	"start page": () => "/api/dashboard/stats/",
	notifications: () => NOTICES,
	"notifications of a category": (n) =>
		`${NOTICES}?category=${pickValue(["scheduled_task", "system", "time_machine"], n)}`,
	"notifications, unread": () => `${NOTICES}?unread=true`,
	"notifications, unread count": () => `${NOTICES}unread_count/`,
	deliveries: () => "/api/notifications/deliveries/",
	"saved queries": () => `/api/queries/saved-queries/`,
	runs: () => `${RUNS}`,
	"runs that failed": () => `${RUNS}?status=failed`,
	"execution log": () => `${EXECUTED}`,
	"execution log, failed": () => `${EXECUTED}?success=false`,
	"execution log, slowest": () => `${EXECUTED}?ordering=-execution_time_ms`,
	"execution log of a query": (n) => `${EXECUTED}?query=${pickQueryId(n)}`,
	schedules: () => `/api/queries/scheduled-tasks/`,
	"schedules, statistics": () => "/api/queries/scheduled-tasks/stats/",
	"schedules, calendar": () => "/api/queries/scheduled-tasks/calendar/",
	"scheduled executions": () => `${SCHEDULED}`,
	"scheduled executions of a status": (n) => `${SCHEDULED}?status=${pickValue(["failed", "success"], n)}`,
	"scheduled executions of a connection": (n) =>
		`${SCHEDULED}?connection_id=${formatUuid("002", 1 + (n % CONNECTIONS))}`,
	"Time Machine, queries": () => "/api/time-machine/queries/",
	"automation requests": () => `/api/automation/requests/`,
	"automation requests of a status": () => "/api/automation/requests/?status=failed",
	"automation executions": () => `/api/automation/executions/`,
};

/** Of administrators, who see what belongs to anybody. */
export const ADMINISTRATORS: Readonly<Record<string, Address>> = {
	"audit log": (n) => `${LOGS}?page=${1 + (n % 20)}`,
	"audit log, a page far behind": (n) => `${LOGS}?page=${1_000 + n}`,
	"audit log of a category": (n) =>
		`${LOGS}?category=${pickValue(["query_execution", "authentication", "time_machine"], n)}`,
	"audit log of an action": (n) => `${LOGS}?action=${pickValue(["query_execution_1", "authentication_0"], n)}`,
	"audit log of a user": (n) => `${LOGS}?username=${pickUsername(n)}`,
	"audit log of an address": (n) => `${LOGS}?ip=10.0.${n % 50}.${n % 50}`,
	"audit log of some days": (n) => `${LOGS}?created_after=${pickDay(n)}`,
	"audit log of a user and some days": (n) => `${LOGS}?username=${pickUsername(n)}&created_after=${pickDay(n)}`,
	"audit log, search for one entry": (n) => `${LOGS}?search=number%20${1 + n * 7919}`,
	"audit log, search for a fabric": (n) => `${LOGS}?search=fabric%20${n % 999}`,
	"audit log, search for half of it": (n) => `${LOGS}?search=${pickValue(["signed", "captured"], n)}`,
	"audit log, statistics": (n) => `${LOGS}stats/?window=${pickValue(["24h", "7d", "30d"], n)}`,
	"attempts to sign in": (n) => `${ATTEMPTS}?page=${1 + (n % 20)}`,
	"attempts to sign in that failed": () => `${ATTEMPTS}?success=false`,
	"attempts to sign in of a user": (n) => `${ATTEMPTS}?username=${pickUsername(n)}`,
	users: () => "/api/auth/management/",
	"execution log, a page far behind": (n) => `${EXECUTED}?page=${1_000 + n}`,
	"scheduled executions, a page far behind": (n) => `${SCHEDULED}?page=${1_000 + n}`,
	"scheduled executions of a task": (n) => `${SCHEDULED}?task_id=${pickTaskId(n)}`,
	"executions of a task": (n) => `/api/queries/scheduled-tasks/${pickTaskId(n)}/executions/`,
	"snapshots of a query": (n) =>
		`/api/time-machine/snapshots/?saved_query_id=${pickScheduledQueryId(n)}&offset=${(n % 20) * 50}`,
	"snapshots of a query and day": (n) =>
		`/api/time-machine/snapshots/?saved_query_id=${pickScheduledQueryId(n)}&date=${pickDay(n).slice(0, 10)}`,
	"heatmap of a query": (n) =>
		`/api/time-machine/heatmap/?saved_query_id=${pickScheduledQueryId(n)}&year=${new Date().getUTCFullYear()}`,
};
