/**
 * For each route that takes a body, a call that succeeds. Tests of all writable routes begin with
 * these, and fail for a route that is missing here.
 */
import type { TestApp, TestUser } from "./harness.ts";
import { TEST_PASSWORD } from "./harness.ts";
import {
	AUTOMATION_CALLS,
	AUTOMATION_NEEDS_MORE,
	type AutomationWorld,
	createAutomationWorld,
} from "./valid-calls-automation.ts";

/** The rows that exist before the calls. */
export interface World {
	readonly t: TestApp;
	/** Works on queries, tasks and snapshots of their own. */
	readonly user: TestUser;
	readonly other: TestUser;
	readonly group: number;
	readonly permissions: readonly number[];
	readonly category: number;
	readonly connection: string;
	readonly connectionGroup: string;
	readonly query: string;
	readonly task: string;
	readonly check: string;
	readonly snapshots: readonly string[];
	readonly tableTemplate: string;
	readonly tablePreference: string;
	readonly webhook: string;
	readonly automation: AutomationWorld;
	readonly refresh: string;
	/** A code of the user's second factor that was not given yet. */
	code(): Promise<string>;
	resetCode(): Promise<string>;
}

export interface Call {
	readonly as: "admin" | "user" | "nobody";
	readonly path: string;
	readonly body: Record<string, unknown>;
	/** What it answers; 200 and 201 where absent. */
	readonly status?: number;
}

const buildCanvas = (className: string) => ({
	nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className } }],
	edges: [],
});
const buildImdata = (descr: string) => ({
	totalCount: "1",
	imdata: [{ fvTenant: { attributes: { dn: "uni/tn-a", name: "a", descr } } }],
});

export async function createWorld(t: TestApp): Promise<World> {
	const user = await t.user("mallory", ["Editor", "Operator"]);
	const other = await t.user("victim");
	const ok = async (answer: Promise<{ status: number; body: unknown; text: string }>) => {
		const { status, body, text } = await answer;
		if (status >= 300) throw new Error(`the world could not be made: ${status} ${text}`);
		// biome-ignore lint/suspicious/noExplicitAny: each of its makers knows what it made
		return body as any;
	};
	const { api } = user;
	const admin = t.admin.api;
	const permissions = (await ok(admin.get("/api/auth/permissions/?page_size=3"))).results.map(
		({ id }: { id: number }) => id,
	);
	const group = (await ok(admin.post("/api/auth/groups/", { name: "planned" }))).id;
	const category = (await ok(admin.post("/api/queries/categories/", { name: "Fabrics" }))).id;
	const address = { url: "http://127.0.0.1:9", username: "reader", password: "a password" };
	const connection = (await ok(api.post("/api/controller/connections/", { name: "fabric", ...address }))).id;
	const connectionGroup = (await ok(api.post(CONNECTION_GROUPS, { name: "sites", connection_ids: [connection] }))).id;
	const query = (
		await ok(
			api.post("/api/queries/saved-queries/", {
				name: "Tenants",
				flow_data: buildCanvas("fvTenant"),
				enable_time_machine: true,
			}),
		)
	).id;
	const task = (
		await ok(
			api.post("/api/queries/scheduled-tasks/", {
				name: "nightly",
				saved_query: query,
				controller_connection_ids: [connection],
				frequency: "daily",
				time_of_day: "03:00",
			}),
		)
	).id;
	const check = (
		await ok(
			api.post(CHECKS, {
				name: "no tenants",
				saved_query: query,
				controller_connection_ids: [connection],
				type: "no_rows",
			}),
		)
	).id;
	const snapshots: string[] = [];
	for (const descr of ["one", "two"]) {
		const captured = await ok(
			api.post("/api/time-machine/capture/", {
				result_data: buildImdata(descr),
				controller_connection_id: connection,
				controller_connection_name: "fabric",
				saved_query_id: query,
				query_name: "Tenants",
				class_name: "fvTenant",
				execution_time_ms: 1,
			}),
		);
		snapshots.push(captured.snapshot_id);
	}
	const tableTemplate = (await ok(api.post(TABLE_TEMPLATES, { class_name: "fvBD", name: "short" }))).id;
	const tablePreference = (await ok(api.post(TABLE_PREFERENCES, { class_name: "fvBD" }))).id;
	const webhook = (await ok(api.post(WEBHOOKS, { name: "Ops", url: "https://hooks.example.com/ops", enabled: false })))
		.id;
	const { refresh } = await ok(t.anonymous.post("/api/auth/login/", { username: "mallory", password: TEST_PASSWORD }));
	const { Secret, TOTP } = await import("otpauth");
	return {
		t,
		user,
		other,
		group,
		permissions,
		category,
		connection,
		connectionGroup,
		query,
		task,
		check,
		snapshots,
		tableTemplate,
		tablePreference,
		webhook,
		refresh,
		automation: await createAutomationWorld(user),
		async code() {
			const { status, body } = await api.post("/api/auth/mfa/setup/");
			// In use already: then no code is right.
			if (status !== 200) return "000000";
			const { secret } = body;
			return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: t.clock.now() });
		},
		resetCode: async () => (await ok(admin.post(`/api/auth/management/${other.id}/generate_reset_code/`))).code,
	};
}

const WEBHOOKS = "/api/notifications/webhooks/";
const webhook = {
	name: "On call",
	url: "https://hooks.example.com/oncall",
	secret: "another-secret-of-some-length",
	format: "teams",
	categories: ["system"],
	enabled: false,
	is_shared: false,
};

const AUTH = "/api/auth/";
const MANAGEMENT = `${AUTH}management/`;
const GROUPS = `${AUTH}groups/`;
const CONNECTIONS = "/api/controller/connections/";
const GROUP_EXECUTIONS = "/api/queries/group-executions/";
const CONNECTION_GROUPS = "/api/controller/connection-groups/";
const QUERIES = "/api/queries/saved-queries/";
const TASKS = "/api/queries/scheduled-tasks/";
const CHECKS = "/api/checks/";
const TIME = "/api/time-machine/";
const TABLE_TEMPLATES = "/api/mim/table-templates/";
const TABLE_PREFERENCES = "/api/mim/table-preferences/";

const QUERY_FILE = `kind: query
name: From a file
flow_data: { nodes: [{ id: a, type: classNode, data: { className: fvCtx } }], edges: [] }
`;

/** In the order in which they are made. */
export const VALID_CALLS: Readonly<Record<string, (world: World) => Call | Promise<Call>>> = {
	...AUTOMATION_CALLS,
	"auth.login": () => ({
		as: "nobody",
		path: `${AUTH}login/`,
		body: { username: "victim", password: TEST_PASSWORD },
	}),
	"auth.refresh": ({ refresh }) => ({ as: "nobody", path: `${AUTH}token/refresh/`, body: { refresh } }),
	"auth.update_profile": () => ({
		as: "user",
		path: `${AUTH}profile/`,
		body: { first_name: "Mal", last_name: "Lory", email: "mal@example.com" },
	}),
	"auth.update_preferences": () => ({
		as: "user",
		path: `${AUTH}preferences/`,
		body: {
			timezone: "Europe/Paris",
			date_format: "DD/MM/YYYY",
			time_format: "12h",
			theme: "dark",
			class_browser_sections: { open: true },
			default_controller_connection_id: null,
		},
	}),
	"auth.set_session_timeout": () => ({
		as: "user",
		path: `${AUTH}session-timeout/`,
		body: { session_timeout_minutes: 60 },
	}),
	"auth.change_password": () => ({
		as: "user",
		path: `${AUTH}password/change/`,
		body: { old_password: TEST_PASSWORD, new_password: TEST_PASSWORD },
	}),
	"auth.mfa_verify": async ({ code }) => ({
		as: "user",
		path: `${AUTH}mfa/verify/`,
		body: { code: await code() },
	}),
	"auth.reauthenticate": () => ({ as: "user", path: `${AUTH}reauthenticate/`, body: { password: TEST_PASSWORD } }),
	"auth.revoke_other_sessions": () => ({ as: "user", path: `${AUTH}sessions/`, body: { revoke_tokens: false } }),
	"auth.mfa_backup_codes": () => ({
		as: "user",
		path: `${AUTH}mfa/backup-codes/`,
		body: { password: TEST_PASSWORD },
	}),
	"auth.mfa_disable": () => ({ as: "user", path: `${AUTH}mfa/disable/`, body: { password: TEST_PASSWORD } }),
	"auth.password_reset": () => ({
		as: "nobody",
		path: `${AUTH}password-reset/`,
		body: { email: "mal@example.com" },
	}),
	"auth.password_reset_confirm": async ({ resetCode }) => ({
		as: "nobody",
		path: `${AUTH}password-reset/confirm/`,
		body: { code: await resetCode(), new_password: TEST_PASSWORD },
	}),
	"users.create": ({ group }) => ({
		as: "admin",
		path: MANAGEMENT,
		body: {
			username: "newcomer",
			email: "new@example.com",
			password: "a long enough phrase",
			first_name: "New",
			last_name: "Comer",
			is_active: true,
			is_superuser: false,
			must_change_password: true,
			group_ids: [group],
		},
	}),
	"users.invite": ({ group }) => ({
		as: "admin",
		path: `${MANAGEMENT}invitations/`,
		body: { people: [{ username: "invited", email: "invited@example.com", group_ids: [group] }] },
	}),
	"api_tokens.create": () => ({
		as: "user",
		path: "/api/auth/tokens/",
		body: { name: "mine", expires_in_days: 3, read_only: true, allowed_addresses: ["127.0.0.0/8"] },
	}),
	"users.update": ({ other, group, permissions }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/`,
		body: {
			email: "victim@example.com",
			first_name: "Vic",
			last_name: "Tim",
			is_active: true,
			is_superuser: false,
			group_ids: [group],
			permission_ids: [permissions[0]],
		},
	}),
	"users.reset_password": ({ other }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/reset_password/`,
		body: { new_password: "another long phrase" },
	}),
	"users.add_permissions": ({ other, permissions }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/add_permissions/`,
		body: { permission_ids: [permissions[1]] },
	}),
	"users.remove_permissions": ({ other, permissions }) => ({
		as: "admin",
		path: `${MANAGEMENT}${other.id}/remove_permissions/`,
		body: { permission_ids: [permissions[1]] },
	}),
	"groups.create": ({ permissions }) => ({
		as: "admin",
		path: GROUPS,
		body: { name: "made", permission_ids: [permissions[0]], quota: null },
	}),
	"groups.update": ({ group, permissions }) => ({
		as: "admin",
		path: `${GROUPS}${group}/`,
		body: { name: "renamed", permission_ids: [permissions[0]] },
	}),
	"groups.clone": ({ group }) => ({ as: "admin", path: `${GROUPS}${group}/clone/`, body: { name: "cloned" } }),
	"groups.add_permissions": ({ group, permissions }) => ({
		as: "admin",
		path: `${GROUPS}${group}/add_permissions/`,
		body: { permission_ids: [permissions[2]] },
	}),
	"groups.remove_permissions": ({ group, permissions }) => ({
		as: "admin",
		path: `${GROUPS}${group}/remove_permissions/`,
		body: { permission_ids: [permissions[2]] },
	}),
	"groups.set_quota": ({ group }) => ({
		as: "admin",
		path: `${GROUPS}${group}/quota/`,
		body: { queries_max: 5, can_share: false },
	}),
	"connections.create": () => ({
		as: "user",
		path: CONNECTIONS,
		body: {
			name: "second fabric",
			description: "of the lab",
			url: "http://127.0.0.1:9",
			username: "u",
			password: "p",
			verify_ssl: true,
			timeout: 30,
			is_active: true,
			is_public: false,
		},
	}),
	"connections.update": ({ connection }) => ({
		as: "user",
		path: `${CONNECTIONS}${connection}/`,
		body: { description: "changed", username: "someone" },
	}),
	"connections.replace": ({ connection }) => ({
		as: "user",
		path: `${CONNECTIONS}${connection}/`,
		body: { name: "replaced", url: "http://127.0.0.1:9", username: "u", password: "p" },
	}),
	"connection_groups.create": ({ connection }) => ({
		as: "user",
		path: CONNECTION_GROUPS,
		body: { name: "more sites", description: "all of them", connection_ids: [connection], is_public: false },
	}),
	"connection_groups.update": ({ connectionGroup }) => ({
		as: "user",
		path: `${CONNECTION_GROUPS}${connectionGroup}/`,
		body: { description: "changed" },
	}),
	"connection_groups.replace": ({ connection, connectionGroup }) => ({
		as: "user",
		path: `${CONNECTION_GROUPS}${connectionGroup}/`,
		body: { name: "replaced", connection_ids: [connection] },
	}),
	"connections.execute_query": ({ connection }) => ({
		as: "user",
		path: `${CONNECTIONS}execute_query/`,
		status: 502,
		body: { connection_id: connection, query_path: "/api/class/fvTenant.json", method: "GET" },
	}),
	"query_categories.create": () => ({
		as: "user",
		path: "/api/queries/categories/",
		body: { name: "Spines", description: "and leaves", color: "#123456", icon: "switch" },
	}),
	"query_categories.replace": ({ category }) => ({
		as: "user",
		path: `/api/queries/categories/${category}/`,
		body: { name: "Fabrics 2", description: "both" },
	}),
	"query_categories.update": ({ category }) => ({
		as: "user",
		path: `/api/queries/categories/${category}/`,
		body: { description: "all of them", icon: "x" },
	}),
	"saved_queries.create": ({ category }) => ({
		as: "user",
		path: QUERIES,
		body: {
			name: "EPGs",
			description: "of all",
			flow_data: buildCanvas("fvAEPg"),
			category,
			tags_list: ["a", "b"],
			is_public: false,
			is_template: false,
			enable_time_machine: false,
			shared_with: [],
		},
	}),
	"saved_queries.validate_connection": () => ({
		as: "user",
		path: `${QUERIES}validate-connection/`,
		body: { parentClass: "fvTenant", childClass: "fvBD" },
	}),
	"saved_queries.replace": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/`,
		body: { name: "Tenants", description: "all", flow_data: buildCanvas("fvTenant"), enable_time_machine: true },
	}),
	"saved_queries.update": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/`,
		body: { description: "all tenants", tags_list: ["t"] },
	}),
	"saved_queries.version_preview": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/version-preview/`,
		body: { flow_data: buildCanvas("fvCtx") },
	}),
	"saved_queries.execute": ({ query }) => ({
		as: "user",
		path: `${QUERIES}${query}/execute/`,
		body: { success: true, result_count: 3, execution_time_ms: 5, error_message: "none", response_content: { a: 1 } },
	}),
	"query_files.validate": () => ({
		as: "user",
		path: "/api/queries/validate-files/",
		body: { files: [{ path: "queries/file.yaml", content: QUERY_FILE }] },
	}),
	"query_files.read": () => ({
		as: "user",
		path: "/api/queries/read-file/",
		body: { path: "queries/file.yaml", content: QUERY_FILE },
	}),
	"query_files.apply": () => ({
		as: "user",
		path: "/api/queries/apply/",
		body: { files: [{ path: "queries/file.yaml", content: QUERY_FILE }], dry_run: false, prune: false },
	}),
	"planning.import_requests": () => ({
		as: "user",
		path: "/api/queries/import-requests/",
		body: { text: "moquery -c fvTenant" },
	}),
	"pipelines.create": ({ connection, query }) => ({
		as: "user",
		path: "/api/queries/pipeline-executions/",
		body: { flow_data: buildCanvas("fvTenant"), controller_connection_id: connection, saved_query_id: query },
	}),
	"group_executions.create": ({ connection, query }) => ({
		as: "user",
		path: GROUP_EXECUTIONS,
		body: { saved_query_id: query, connection_ids: [connection] },
	}),
	"planning.generate_query": () => ({
		as: "user",
		path: `${QUERIES}generate-query/`,
		body: { flow_data: buildCanvas("fvTenant") },
	}),
	"planning.preview": ({ connection }) => ({
		as: "user",
		path: `${QUERIES}preview/`,
		status: 502,
		body: { flow_data: buildCanvas("fvTenant"), node_id: "a", controller_connection_id: connection },
	}),
	"background_runs.start": ({ connection, query }) => ({
		as: "user",
		path: `${QUERIES}${query}/execute_background/`,
		status: 202,
		body: { controller_connection_id: connection },
	}),
	"checks.create": ({ connection, query }) => ({
		as: "user",
		path: CHECKS,
		body: {
			name: "few tenants",
			description: "d",
			saved_query: query,
			controller_connection_ids: [connection],
			type: "row_count",
			config: { operator: "le", value: 10 },
			severity: "critical",
			for_runs: 2,
		},
	}),
	"checks.preview": ({ query, connection }) => ({
		as: "user",
		path: `${CHECKS}preview/`,
		body: { saved_query: query, controller_connection_ids: [connection], type: "no_rows" },
	}),
	"checks.update": ({ check }) => ({
		as: "user",
		path: `${CHECKS}${check}/`,
		body: { name: "none", severity: "info", for_runs: 3 },
	}),
	"checks.replace": ({ check, query, connection }) => ({
		as: "user",
		path: `${CHECKS}${check}/`,
		body: { name: "no tenants", saved_query: query, type: "no_rows", controller_connection_ids: [connection] },
	}),
	"checks.install": ({ connection }) => ({
		as: "user",
		path: `${CHECKS}templates/critical-faults/install/`,
		body: { controller_connection_ids: [connection] },
	}),
	"checks.evaluate": ({ check, connection }) => ({
		as: "user",
		path: `${CHECKS}${check}/evaluate/`,
		status: 202,
		body: { controller_connection_ids: [connection] },
	}),
	"checks.acknowledge": ({ check }) => ({
		as: "user",
		path: `${CHECKS}${check}/acknowledge/`,
		body: { comment: "known" },
	}),
	"checks.mute": ({ check, t }) => ({
		as: "user",
		path: `${CHECKS}${check}/mute/`,
		body: { until: new Date(t.clock.now() + 60_000).toISOString() },
	}),
	"schedules.create": ({ connection, query }) => ({
		as: "user",
		path: TASKS,
		body: {
			name: "weekly",
			description: "each",
			saved_query: query,
			controller_connection_ids: [connection],
			frequency: "weekly",
			time_of_day: "04:00",
			day_of_week: 1,
			timezone: "UTC",
			email_recipients: ["ops@example.com"],
		},
	}),
	"schedules.preview": () => ({
		as: "user",
		path: `${TASKS}preview/`,
		body: { frequency: "daily", time_of_day: "04:00", timezone: "UTC" },
	}),
	"schedules.update": ({ task }) => ({
		as: "user",
		path: `${TASKS}${task}/`,
		body: { name: "each night", description: "d", retry_count: 2 },
	}),
	"schedules.replace": ({ task, query, connection }) => ({
		as: "user",
		path: `${TASKS}${task}/`,
		body: {
			name: "nightly",
			saved_query: query,
			controller_connection_ids: [connection],
			frequency: "daily",
			time_of_day: "03:30",
		},
	}),
	"schedules.change_settings": () => ({
		as: "admin",
		path: "/api/queries/task-settings/",
		body: { default_retry_count: 2, email_from_address: "weft@example.com" },
	}),
	"time_machine.capture": ({ connection, query }) => ({
		as: "user",
		path: `${TIME}capture/`,
		body: {
			result_data: buildImdata("three"),
			controller_connection_id: connection,
			controller_connection_name: "fabric",
			saved_query_id: query,
			query_name: "Tenants",
			class_name: "fvTenant",
			execution_time_ms: 2,
		},
	}),
	"time_machine.annotate": ({ snapshots }) => ({
		as: "user",
		path: `${TIME}snapshots/${snapshots[0]}/annotate/`,
		body: { annotation: "first", label: "v1" },
	}),
	"time_machine.compare": ({ snapshots }) => ({
		as: "user",
		path: `${TIME}compare/`,
		body: { snapshot_from_id: snapshots[0], snapshot_to_id: snapshots[1] },
	}),
	"time_machine.cleanup_preview": () => ({
		as: "user",
		path: `${TIME}cleanup/preview/`,
		body: { include_annotated: false },
	}),
	"time_machine.cleanup": () => ({
		as: "user",
		path: `${TIME}cleanup/execute/`,
		body: { include_annotated: false },
	}),
	"time_machine.update_settings": () => ({
		as: "user",
		path: `${TIME}settings/`,
		body: { retention_days: 30, max_snapshot_size_mb: 5 },
	}),
	"notifications.change_preferences": () => ({
		as: "user",
		path: "/api/notifications/preferences/",
		body: {
			in_app_enabled: true,
			email_enabled: true,
			categories: { system: { email: false } },
			quiet_hours_start: "22:00",
			quiet_hours_end: "06:00",
			digest_enabled: true,
		},
	}),
	"notifications.announce": () => ({
		as: "admin",
		path: "/api/notifications/announcements/",
		body: { title: "Tonight", body: "The fabric is upgraded.", severity: "warning", link: "/schedules" },
	}),
	"notification_webhooks.create": () => ({ as: "user", path: WEBHOOKS, body: { ...webhook, name: "Another" } }),
	"notification_webhooks.replace": ({ webhook: id }) => ({ as: "user", path: `${WEBHOOKS}${id}/`, body: webhook }),
	"notification_webhooks.update": ({ webhook: id }) => ({
		as: "user",
		path: `${WEBHOOKS}${id}/`,
		body: { ...webhook, name: "Changed" },
	}),
	"mim_favorites.add": () => ({ as: "user", path: "/api/mim/favorites/", body: { class_name: "fvTenant" } }),
	"mim_table_templates.create": () => ({
		as: "user",
		path: TABLE_TEMPLATES,
		body: {
			class_name: "fvTenant",
			name: "names",
			description: "only",
			columns: [{ field: "name" }],
			filters: { a: 1 },
			sorting: [{ field: "name" }],
			is_shared: false,
			is_default: true,
		},
	}),
	"mim_table_templates.replace": ({ tableTemplate }) => ({
		as: "user",
		path: `${TABLE_TEMPLATES}${tableTemplate}/`,
		body: { class_name: "fvBD", name: "shorter" },
	}),
	"mim_table_templates.update": ({ tableTemplate }) => ({
		as: "user",
		path: `${TABLE_TEMPLATES}${tableTemplate}/`,
		body: { description: "of bridge domains" },
	}),
	"mim_table_preferences.create": () => ({
		as: "user",
		path: TABLE_PREFERENCES,
		body: { class_name: "fvTenant", visible_columns: ["name"], column_order: ["name"], options: { wide: true } },
	}),
	"mim_table_preferences.replace": ({ tablePreference }) => ({
		as: "user",
		path: `${TABLE_PREFERENCES}${tablePreference}/`,
		body: { visible_columns: ["dn"] },
	}),
	"mim_table_preferences.update": ({ tablePreference }) => ({
		as: "user",
		path: `${TABLE_PREFERENCES}${tablePreference}/`,
		body: { options: { wide: false } },
	}),
	"mim.check": ({ query }) => ({ as: "user", path: "/api/mim/check/", body: { saved_query_id: query } }),
	"mim_registry.install": () => ({
		as: "admin",
		path: "/api/mim-registry/remote/install/",
		status: 400,
		body: { version_key: "none", concurrency: 2 },
	}),
	"audit.update_settings": () => ({
		as: "admin",
		path: "/api/audit/settings/",
		body: { query_retention_days: 90 },
	}),
};

/** Routes with a body whose valid call needs more than the service by itself. */
export const NEEDS_MORE: Readonly<Record<string, string>> = {
	...AUTOMATION_NEEDS_MORE,
	"api_tokens.managed_create": "a service account; the body is that of api_tokens.create",
	"auth.ldap_login": "a directory",
	"auth.oidc_exchange": "an identity provider",
	"auth.accept_invitation": "an invitation; its path has the secret",
	"auth.oidc_terminal": "an identity provider",
	"auth.oidc_terminal_decide": "an identity provider",
	"auth.mfa_login": "a sign-in that was begun; its body is two secrets",
};
