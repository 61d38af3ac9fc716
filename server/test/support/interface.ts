/**
 * The interface's endpoints, as the specification's tables list them. "CRUD" and "detail actions"
 * of those tables are spelt out. Parameters are written `:id` whatever they are called.
 */
const listEndpoints = (prefix: string, lines: string): string[] =>
	lines
		.trim()
		.split("\n")
		.flatMap((line) => {
			const [methods = "", path = ""] = line.trim().split(/\s+/);
			return methods.split(",").map((method) => `${method} ${prefix}${path}`);
		});

const crud = "GET,PUT,PATCH,DELETE";

export const SPECIFIED: readonly string[] = [
	...listEndpoints(
		"/api/",
		`GET health/
		GET schema/
		GET docs/
		GET redoc/
		POST ws-ticket/`,
	),
	...listEndpoints(
		"/api/auth/",
		`POST login/
		POST ldap-login/
		POST mfa-login/
		POST token/refresh/
		GET,PATCH profile/
		GET,PATCH preferences/
		POST session-timeout/
		POST password/change/
		POST password-reset/
		POST password-reset/confirm/
		POST email/send-verification/
		GET email/verify/
		POST mfa/setup/
		POST mfa/verify/
		GET mfa/status/
		POST mfa/backup-codes/
		POST mfa/disable/
		GET health/
		GET quota-usage/
		GET stats/
		GET,POST management/
		GET,PATCH,DELETE management/:id/
		POST management/:id/reset_password/
		POST management/:id/generate_reset_code/
		POST management/:id/verify_email/
		POST management/:id/disable_mfa/
		POST management/:id/activate/
		POST management/:id/deactivate/
		POST management/:id/add_permissions/
		POST management/:id/remove_permissions/
		GET management/:id/effective_permissions/
		GET,POST groups/
		GET groups/role_templates/
		GET,PATCH,DELETE groups/:id/
		POST groups/:id/clone/
		POST groups/:id/add_permissions/
		POST groups/:id/remove_permissions/
		GET,PUT groups/:id/quota/
		GET permissions/`,
	),
	...listEndpoints(
		"/api/controller/connections/",
		`GET,POST
		${crud} :id/
		POST :id/test/
		POST execute_query/`,
	),
	...listEndpoints(
		"/api/queries/",
		`GET,POST categories/
		${crud} categories/:id/
		GET,POST saved-queries/
		${crud} saved-queries/:id/
		POST saved-queries/:id/execute/
		POST saved-queries/validate-connection/
		POST saved-queries/generate-query/
		POST saved-queries/:id/favorite/
		POST saved-queries/:id/duplicate/
		POST saved-queries/:id/execute_background/
		GET saved-queries/:id/versions/:id/
		POST saved-queries/:id/versions/:id/restore/
		GET execution-logs/
		GET,POST scheduled-tasks/
		${crud} scheduled-tasks/:id/
		POST scheduled-tasks/:id/pause/
		POST scheduled-tasks/:id/resume/
		POST scheduled-tasks/:id/execute_now/
		POST scheduled-tasks/:id/clone/
		GET scheduled-tasks/:id/executions/
		GET scheduled-tasks/upcoming/
		GET scheduled-tasks/stats/
		GET scheduled-executions/
		GET,PATCH task-settings/
		GET,POST pipeline-executions/
		GET pipeline-executions/:id/
		GET pipeline-executions/:id/stages/
		GET pipeline-executions/:id/results/
		POST pipeline-executions/:id/cancel/`,
	),
	...listEndpoints(
		"/api/time-machine/",
		`POST capture/
		GET queries/
		GET snapshots/
		GET snapshots/:id/
		POST snapshots/:id/annotate/
		POST compare/
		GET heatmap/
		GET timeline/
		GET saved-queries/:id/dns/
		GET,PUT settings/
		POST cleanup/preview/
		POST cleanup/execute/`,
	),
	...listEndpoints(
		"/api/mim/",
		`GET search/
		GET explorer/tree/
		GET explorer/class/:id/
		GET explorer/relationships/:id/
		GET explorer/class/:id/insights/
		GET explorer/ancestors/:id/
		GET stats/
		GET classes/
		GET classes/search/
		GET classes/search/enhanced/
		GET classes/roots/
		GET classes/suggest/
		GET classes/:id/
		GET classes/:id/hierarchy/
		GET classes/:id/related/
		GET classes/:id/children/search/
		GET packages/
		GET packages/top/
		GET,POST favorites/
		DELETE favorites/:id/
		GET,POST table-templates/
		${crud} table-templates/:id/
		GET,POST table-preferences/
		${crud} table-preferences/:id/`,
	),
	...listEndpoints(
		"/api/mim-registry/",
		`GET status/
		GET remote/versions/
		POST remote/install/
		GET remote/runs/:id/
		POST remote/runs/:id/cancel/
		POST remote/runs/:id/resume/`,
	),
	...listEndpoints(
		"/api/automation/",
		`GET,POST connections/
		${crud} connections/:id/
		POST connections/:id/test/
		GET connections/:id/job-templates/
		GET connections/:id/job-templates/:id/
		GET connections/:id/workflow-templates/
		GET connections/:id/workflow-templates/:id/
		GET connections/:id/credentials/
		GET connections/:id/credential-types/
		GET,POST templates/
		${crud} templates/:id/
		POST templates/validate-input/
		POST templates/validate-sheets/
		GET templates/validation-status/:id/
		GET,POST requests/
		GET,PATCH requests/:id/
		POST requests/:id/execute/
		POST requests/:id/retry/
		POST requests/:id/approve/
		POST requests/:id/reject/
		POST requests/:id/rollback/
		POST requests/:id/copy/
		GET requests/:id/history/
		GET requests/:id/history/:id/
		POST requests/:id/comments/
		GET requests/:id/review/
		POST requests/:id/cancel/
		GET executions/
		GET executions/:id/
		POST executions/:id/cancel/
		POST executions/:id/relaunch/
		GET executions/:id/output/
		GET executions/:id/download-output/
		GET executions/:id/workflow-nodes/
		GET executions/:id/node-output/:id/
		GET executions/:id/row-results/
		GET,POST categories/
		${crud} categories/:id/
		GET,POST column-templates/
		${crud} column-templates/:id/
		GET,POST validation-lists/
		${crud} validation-lists/:id/
		GET,POST regex-patterns/
		${crud} regex-patterns/:id/
		POST regex-patterns/test/
		POST webhooks/receiver/
		GET webhooks/health/
		POST webhooks/test/`,
	),
	...listEndpoints(
		"/api/",
		`GET audit/logs/
		GET audit/logs/:id/
		GET audit/logs/stats/
		GET audit/logs/export/
		GET,PATCH audit/settings/
		GET audit/login-attempts/
		GET notifications/notifications/
		POST notifications/notifications/:id/mark_read/
		POST notifications/notifications/mark_all_read/
		DELETE notifications/notifications/:id/
		GET notifications/notifications/unread_count/
		GET,PATCH notifications/preferences/
		GET dashboard/stats/
		GET dashboard/platform-info/`,
	),
];

/** Channels of the specification. */
export const SPECIFIED_CHANNELS: readonly string[] = [
	"/ws/chain-execution/:id/",
	"/ws/notifications/",
	"/ws/automation/request/:id/",
	"/ws/automation/execution/:id/",
	"/ws/mim-import/:id/",
];

/** Channels beyond the specification. */
export const ADDITIVE_CHANNELS: readonly string[] = ["/ws/group-execution/:id/", "/ws/change-window/:id/"];

/**
 * Specified and not there yet, by the beginning of the path or by the whole line. Entries are only
 * ever taken away: the count below must fall with each.
 */
export const MISSING: readonly (string | RegExp)[] = [];
export const MISSING_COUNT = 0;

export const MISSING_CHANNELS: readonly string[] = [];
