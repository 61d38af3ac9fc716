/**
 * One call that succeeds for each route that takes a body. Tests of all writable routes begin with
 * these calls, and fail for a route without one.
 */
import type { TestApp, TestUser } from "./harness.ts";
import { TEST_PASSWORD } from "./harness.ts";
import { ACCOUNT_CALLS } from "./valid-calls-accounts.ts";
import {
	AUTOMATION_CALLS,
	AUTOMATION_NEEDS_MORE,
	type AutomationWorld,
	createAutomationWorld,
} from "./valid-calls-automation.ts";
import { buildCanvas, buildImdata, QUERY_CALLS } from "./valid-calls-queries.ts";
import { createWindowWorld, WINDOW_CALLS, type WindowWorld } from "./valid-calls-windows.ts";

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
	readonly calendarEntry: string;
	readonly query: string;
	readonly task: string;
	readonly check: string;
	readonly snapshots: readonly string[];
	readonly tableTemplate: string;
	readonly tablePreference: string;
	readonly webhook: string;
	readonly automation: AutomationWorld;
	readonly windows: WindowWorld;
	readonly refresh: string;
	/** A code of the user's second factor that was not given yet. */
	code(): Promise<string>;
	resetCode(): Promise<string>;
}

export interface Call {
	readonly as: "admin" | "user" | "nobody";
	readonly path: string;
	readonly body: Record<string, unknown>;
	/** Status of the answer; 200 or 201 if absent. */
	readonly status?: number;
}

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
	const calendarEntry = (await ok(api.post(CALENDAR, buildMaintenance(connection)))).id;
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
		calendarEntry,
		query,
		task,
		check,
		snapshots,
		tableTemplate,
		tablePreference,
		webhook,
		refresh,
		automation: await createAutomationWorld(user),
		windows: await createWindowWorld(t, user, { query, connection }),
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

const CONNECTIONS = "/api/controller/connections/";
const CALENDAR = "/api/calendar/entries/";
const buildMaintenance = (connection: string) => ({
	kind: "maintenance",
	title: "Upgrade of the leaves",
	controller_connection_ids: [connection],
	starts_at: "2030-03-02T22:00:00Z",
	ends_at: "2030-03-03T04:00:00Z",
});
const CONNECTION_GROUPS = "/api/controller/connection-groups/";
const CHECKS = "/api/checks/";
const TABLE_TEMPLATES = "/api/mim/table-templates/";
const TABLE_PREFERENCES = "/api/mim/table-preferences/";

/** In the order in which they are made. */
export const VALID_CALLS: Readonly<Record<string, (world: World) => Call | Promise<Call>>> = {
	...AUTOMATION_CALLS,
	...ACCOUNT_CALLS,
	...WINDOW_CALLS,
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
	"calendar_entries.create": ({ connection, connectionGroup }) => ({
		as: "user",
		path: CALENDAR,
		body: {
			...buildMaintenance(connection),
			reason: "A new release",
			ticket: { number: "CHG0031337", url: "https://tickets.example.com/CHG0031337" },
			connection_group_ids: [connectionGroup],
			rrule: "FREQ=MONTHLY;BYDAY=1SA",
			exdates: ["2030-04-06T22:00:00Z"],
			time_zone: "Europe/Berlin",
			is_active: true,
		},
	}),
	"calendar_entries.import": ({ connection }) => ({
		as: "user",
		path: `${CALENDAR}import/`,
		body: {
			kind: "maintenance",
			content: [
				"BEGIN:VCALENDAR",
				"BEGIN:VEVENT",
				"UID:1@example.com",
				"SUMMARY:Upgrade",
				"DTSTART:20300601T220000Z",
				"DURATION:PT2H",
				"END:VEVENT",
				"END:VCALENDAR",
			].join("\r\n"),
			controller_connection_ids: [connection],
			time_zone: "Europe/Berlin",
		},
	}),
	"calendar_entries.update": ({ calendarEntry }) => ({
		as: "user",
		path: `${CALENDAR}${calendarEntry}/`,
		body: { reason: "Another release" },
	}),
	"calendar_entries.replace": ({ calendarEntry, connection }) => ({
		as: "user",
		path: `${CALENDAR}${calendarEntry}/`,
		body: buildMaintenance(connection),
	}),
	"connections.execute_query": ({ connection }) => ({
		as: "user",
		path: `${CONNECTIONS}execute_query/`,
		status: 502,
		body: { connection_id: connection, query_path: "/api/class/fvTenant.json", method: "GET" },
	}),
	...QUERY_CALLS,
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
	"service.change_setup": () => ({
		as: "admin",
		path: "/api/service/setup/",
		body: { skipped: ["mail"] },
	}),
	"audit.update_settings": () => ({
		as: "admin",
		path: "/api/audit/settings/",
		body: { query_retention_days: 90 },
	}),
};

/** Routes with a body whose valid call needs more than the service alone. */
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
