/** Names of permissions and quotas as people read them. */
import type { AdminUser, Permission, QuotaNumber, QuotaRight } from "@weft/contracts";
import { QUOTA_NUMBERS, QUOTA_RIGHTS } from "@weft/contracts/browser";

export const VERBS = ["view", "add", "change", "delete"] as const;
type Verb = (typeof VERBS)[number];

/** `view` of `view_savedquery`; other verbs, such as `approve`, too. */
export const formatVerb = ({ codename }: Pick<Permission, "codename">): string =>
	codename.slice(0, codename.indexOf("_"));

export const isUsualVerb = (verb: string): verb is Verb => VERBS.some((usual) => usual === verb);

const MODELS: Readonly<Record<string, string>> = {
	auditlog: "Audit log",
	auditsettings: "Audit settings",
	automationcategory: "Template categories",
	automationconnection: "Automation servers",
	automationexecution: "Automation executions",
	automationrequest: "Automation requests",
	automationtemplate: "Automation templates",
	calendarentry: "Calendar entries",
	check: "Checks",
	columntemplate: "Column templates",
	controllerconnection: "Controller connections",
	executionlog: "Query history",
	favorite: "Favorite classes",
	freeze: "Freezes",
	group: "Groups",
	loginattempt: "Sign-ins",
	modelclass: "Class model",
	modelversion: "Model versions",
	notification: "Notifications",
	notificationpreference: "Notification preferences",
	permission: "Permissions",
	pipelineexecution: "Runs",
	querycategory: "Query categories",
	regexpattern: "Regex patterns",
	savedquery: "Saved queries",
	scheduledexecution: "Schedule executions",
	scheduledtask: "Schedules",
	snapshot: "Snapshots",
	snapshotsettings: "Snapshot settings",
	changeplan: "Change plans",
	changewindow: "Change windows",
	tablepreference: "Table preferences",
	tabletemplate: "Table templates",
	tasksettings: "Schedule defaults",
	user: "Users",
	validationlist: "Value lists",
};

/** The model's own name where it is not known here. */
export const formatModel = (model: string): string => MODELS[model] ?? model;

/** What a user is; null: one with a password here. */
export const SOURCE_NAMES: Readonly<Record<AdminUser["auth_source"], string | null>> = {
	local: null,
	ldap: "Directory user",
	oidc: "Single sign-on user",
	service: "Service account",
};

/** Limits and rights of parts that this interface does not have; a quota keeps their values. */
const HIDDEN: ReadonlySet<QuotaNumber | QuotaRight> = new Set(["ai_analysis_daily", "can_use_ai_builder"]);
export const SHOWN_NUMBERS = QUOTA_NUMBERS.filter((name) => !HIDDEN.has(name));
export const SHOWN_RIGHTS = QUOTA_RIGHTS.filter((name) => !HIDDEN.has(name));

export const QUOTA_NAMES: Readonly<Record<QuotaNumber | QuotaRight, string>> = {
	queries_max: "Saved queries",
	scheduled_tasks_max: "Schedules",
	connections_max: "Connections",
	automation_requests_daily: "Automation requests per day",
	automation_concurrent: "Concurrent automation jobs",
	result_rows_max: "Rows per result",
	export_rows_max: "Rows per export",
	executions_daily: "Runs per day",
	ai_analysis_daily: "AI analyses per day",
	checks_max: "Checks",
	connection_groups_max: "Connection groups",
	calendar_entries_max: "Calendar entries",
	categories_max: "Categories",
	sockets_max: "Live connections (tabs and programs)",
	webhooks_max: "Webhooks",
	tokens_max: "API tokens",
	automation_connections_max: "Automation servers",
	automation_templates_max: "Automation templates",
	automation_references_max: "Column templates, value lists and patterns",
	change_plans_max: "Change plans",
	can_create_queries: "Create queries",
	can_execute_queries: "Run queries",
	can_schedule: "Schedule queries",
	can_use_automation: "Use automation",
	can_use_time_machine: "Use snapshots",
	can_export: "Export results",
	can_share: "Share queries",
	can_use_ai_builder: "Use the AI builder",
};

/** What the members of the groups that are there from the start may do. */
export const ROLES: Readonly<Record<string, string>> = {
	Admin: "May do everything. Set by superusers only.",
	Editor: "Makes and shares queries, checks, schedules and automation templates.",
	Operator: "An author who also makes and executes automation requests, and changes fabrics.",
	Users: "Makes queries, checks, schedules and connections, and uses what others share.",
	Viewer: "Reads what others share, and changes nothing.",
};
