/**
 * Each kind of object that a user can make has a limit: one more than it is refused, and nothing is
 * stored.
 */
import { allRoutes } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/harness.ts";
import { groupIds } from "../support/rights.ts";
import { type Call, createWorld, VALID_CALLS, type World } from "../support/valid-calls.ts";

/** Quota of the objects that a route makes. */
const QUOTAS: Readonly<Record<string, string>> = {
	"saved_queries.create": "queries_max",
	"saved_queries.duplicate": "queries_max",
	"query_files.apply": "queries_max",
	"schedules.create": "scheduled_tasks_max",
	"schedules.clone": "scheduled_tasks_max",
	"connections.create": "connections_max",
	"connection_groups.create": "connection_groups_max",
	"calendar_entries.create": "calendar_entries_max",
	"calendar_entries.import": "calendar_entries_max",
	"change_plans.create": "change_plans_max",
	"query_categories.create": "categories_max",
	"automation_categories.create": "categories_max",
	"gallery.save": "queries_max",
	"gallery.watch": "checks_max",
	"checks.watch": "scheduled_tasks_max",
	"checks.create": "checks_max",
	"checks.install": "checks_max",
	"notification_webhooks.create": "webhooks_max",
	"api_tokens.create": "tokens_max",
	"automation_connections.create": "automation_connections_max",
	"automation_templates.create": "automation_templates_max",
	"automation_column_templates.create": "automation_references_max",
	"automation_validation_lists.create": "automation_references_max",
	"automation_regex_patterns.create": "automation_references_max",
	"automation_requests.create": "automation_requests_daily",
	"automation_requests.copy": "automation_requests_daily",
	"pipelines.create": "executions_daily",
	"group_executions.create": "executions_daily",
	"gallery.run": "executions_daily",
	"background_runs.start": "executions_daily",
	"saved_queries.execute": "executions_daily",
};

/** Fields of the usage that are not named after their quota. */
const USAGE: Readonly<Record<string, string>> = {
	executions_daily: "executions_today",
	automation_requests_daily: "automation_requests_today",
};

/** Objects with a fixed limit, and a statement that stores `$2` of them for the user `$1`. */
const FIXED: Readonly<Record<string, { readonly limit: number; readonly status: number; readonly fill: string }>> = {
	"change_windows.create": {
		limit: 200,
		status: 403,
		fill: `insert into change_windows (id, owner_id, owner_name, title, plan, auto_start, auto_finish, requires_approval,
				implementers, state, created_at, updated_at)
			select gen_random_uuid(), $1, 'mallory', 'made' || i, plan, false, false, false, '{}', 'draft', now(), now()
			from change_windows, generate_series(1, $2) i where title = 'Window draft'`,
	},
	"mim_favorites.add": {
		limit: 1_000,
		status: 400,
		fill: `insert into model_favorites (id, user_id, class_name, created_at)
			select gen_random_uuid(), $1, 'made' || i, now() from generate_series(1, $2) i`,
	},
	"mim_table_templates.create": {
		limit: 500,
		status: 400,
		fill: `insert into model_table_templates select gen_random_uuid(), $1, 'fvBD', 'made' || i, '', '[]', '{}', '[]',
			false, false, now(), now() from generate_series(1, $2 - 1) i`,
	},
	"mim_table_preferences.create": {
		limit: 2_000,
		status: 400,
		fill: `insert into model_table_preferences select gen_random_uuid(), $1, 'made' || i, '[]', '[]', '{}', now(), now()
			from generate_series(1, $2 - 1) i`,
	},
	"automation_requests.comment": {
		limit: 200,
		status: 409,
		fill: `insert into automation_request_events (request_id, at, username, action, version)
			select id, now(), 'mallory', 'commented', 1 from automation_requests, generate_series(1, $2)
			where requested_by_id = $1`,
	},
};

/** Other routes with the method POST, by the reason why they need no row above. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
	"Only administrators call it, and they have no limits.": allRoutes
		.filter(({ permission }) => permission === "admin")
		.map(({ id }) => id)
		.filter((id) => id !== "api_tokens.managed_create"),
	"It has the limit of api_tokens.create, for a service account, as a test below shows.": ["api_tokens.managed_create"],
	"It opens no socket by itself: auth/socket-quota.test.ts tests the ticket and the socket.": [
		"auth.ws_ticket",
		"dashboard.opening",
	],
	"A sign-in makes a session, which ends when it is not used; sign-ins are throttled.": [
		"auth.login",
		"auth.ldap_login",
		"auth.mfa_login",
		"auth.oidc_exchange",
		"auth.oidc_terminal",
		"auth.oidc_terminal_decide",
		"auth.accept_invitation",
	],
	"It changes what a user has once.": [
		"calendar_feed.create",
		"auth.refresh",
		"auth.logout",
		"auth.set_session_timeout",
		"auth.change_password",
		"auth.reauthenticate",
		"auth.mfa_setup",
		"auth.mfa_verify",
		"auth.mfa_backup_codes",
		"auth.mfa_disable",
		"auth.password_reset",
		"auth.password_reset_confirm",
		"auth.send_verification",
	],
	"At most one delivery of a notification waits for a webhook; ended ones are removed after some weeks.": [
		"notification_deliveries.resend",
		"notification_webhooks.resend",
		"notification_webhooks.resend_delivery",
	],
	"It reads, and stores nothing.": [
		"connections.test",
		"connections.execute_query",
		"checks.preview",
		"saved_queries.validate_connection",
		"saved_queries.version_preview",
		"query_files.validate",
		"query_files.read",
		"planning.generate_query",
		"planning.preview",
		"change_plans.preview",
		"planning.import_requests",
		"schedules.preview",
		"time_machine.compare",
		"time_machine.cleanup_preview",
		"notification_webhooks.test",
		"mim.check",
		"automation_connections.test",
		"automation_templates.from_server",
		"automation_templates.read_file",
		"automation_templates.read_tables",
		"automation_regex_patterns.test",
	],
	"At most three run at the same time, and answers are deleted after half an hour.": ["find.start_live"],
	"It changes an object that exists.": [
		"saved_queries.restore",
		"saved_queries.favorite",
		"checks.acknowledge",
		"checks.mute",
		"pipelines.cancel",
		"group_executions.cancel",
		"schedules.pause",
		"schedules.resume",
		"time_machine.annotate",
		"time_machine.cleanup",
		"notifications.mark_read",
		"notifications.mark_all_read",
		"automation_requests.approve",
		"automation_requests.reject",
		"automation_requests.cancel",
		"automation_executions.cancel",
		"change_windows.submit",
		"change_windows.approve",
		"change_windows.reject",
		"change_windows.cancel",
		"change_windows.sign",
		"change_windows.accept_finding",
		"change_windows.finding_to_drift_rule",
		"change_windows.finding_to_expectation",
	],
	"A window has at most 1,000 expectations; windows/steps.test.ts.": ["change_windows.import_expectations"],
	"A window has at most 60 runs of the pre-upgrade script; windows/evidence.test.ts.": [
		"change_windows.attach_evidence",
	],
	"It has the limits of change_plans.create, saved_queries.create and checks.create.": ["change_plans.install"],
	"It starts runs that exist already as a check, a schedule, a group run or a change window: executions_daily holds for each run.":
		[
			"checks.evaluate",
			"change_windows.start",
			"change_windows.finish",
			"change_windows.retry",
			"change_windows.override",
			"automation_executions.override",
			"change_windows.recheck",
			"schedules.execute_now",
			"group_executions.retry",
		],
	"Snapshots and checks of rows have a maximum size and are deleted by age.": [
		"time_machine.capture",
		"automation_templates.validate_input",
		"automation_templates.validate_sheets",
	],
	"automation_concurrent holds for open jobs, and automation_requests_daily for a rollback; automation/requests.test.ts.":
		[
			"automation_requests.execute",
			"automation_requests.retry",
			"automation_requests.rollback",
			"automation_executions.relaunch",
		],
	"An automation server calls it, with a signature.": ["automation_webhooks.receive"],
};

let t: TestApp;
let world: World;
let names = 0;

beforeAll(async () => {
	t = await startTestApp();
	world = await createWorld(t);
});
afterAll(() => t.close());

const MORE: Readonly<Record<string, (world: World) => Call>> = {
	"saved_queries.duplicate": ({ query }) => ({
		as: "user",
		path: `/api/queries/saved-queries/${query}/duplicate/`,
		body: {},
	}),
	"schedules.clone": ({ task }) => ({ as: "user", path: `/api/queries/scheduled-tasks/${task}/clone/`, body: {} }),
};

/** Sets the only quota of the user. */
async function setQuota(quota: Record<string, unknown>): Promise<void> {
	for (const id of await groupIds(t, "Editor", "Operator"))
		await t.admin.api.put(`/api/auth/groups/${id}/quota/`, quota);
}

async function readUsage(quota: string): Promise<number> {
	const { usage } = (await world.user.api.get("/api/auth/quota-usage/")).body;
	const used = usage[USAGE[quota] ?? quota.replace(/_max$/, "_total")];
	expect(used, `the usage of ${quota}`).toEqual(expect.any(Number));
	return used;
}

/** Makes one more object, with a name of its own where objects have one. */
async function makeOne(id: string) {
	const call = await (MORE[id] ?? VALID_CALLS[id])?.(world);
	if (call === undefined) throw new Error(`There is no valid call of ${id}.`);
	const isNamed = call.body.name !== undefined;
	return world.user.api.post(call.path, { ...call.body, ...(isNamed ? { name: `Object ${++names}` } : {}) });
}

/** The number of rows of each table, without the audit log, which also records refusals. */
async function countRows(): Promise<Record<string, number>> {
	const { rows } = await t.pool.query(`select table_name as name from information_schema.tables
		where table_schema = 'public' and table_type = 'BASE TABLE' and table_name !~ '^(audit|pgboss|sessions)'`);
	const counts: Record<string, number> = {};
	for (const { name } of rows)
		counts[name] = Number((await t.pool.query(`select count(*) from "${name}"`)).rows[0].count);
	return counts;
}

describe("a quota", () => {
	it.each(Object.entries(QUOTAS))("refuses one more object at %s, and stores nothing", async (id, quota) => {
		await setQuota({});
		const limit = Math.max(1, await readUsage(quota));
		await setQuota({ [quota]: limit });
		while ((await readUsage(quota)) < limit) expect((await makeOne(id)).status).toBeLessThan(300);
		const before = await countRows();
		const { status, body } = await makeOne(id);
		const words = expect.stringContaining(`(${limit}) is used up.`);
		const refusal = [quota.endsWith("_daily") ? 429 : 403, { detail: words, quota }];
		expect([status, body]).toEqual(refusal);
		expect(await countRows()).toEqual(before);
		expect(await readUsage(quota)).toBe(limit);
		if (!quota.endsWith("_max")) return;
		await setQuota({ [quota]: limit + 1 });
		expect((await makeOne(id)).status).toBeLessThan(300);
	});

	it("the quota of a service account limits the tokens that administrators make", async () => {
		const group = (await t.admin.api.post("/api/auth/groups/", { name: "Programs", quota: { tokens_max: 1 } })).body.id;
		const account = { username: "svc-limited", auth_source: "service", group_ids: [group] };
		const { id } = (await t.admin.api.post("/api/auth/management/", account)).body;
		const add = () => t.admin.api.post(`/api/auth/management/${id}/tokens/`, { name: "ci" });
		expect((await add()).status).toBe(201);
		const before = await countRows();
		expect(await add()).toMatchObject({
			status: 403,
			body: { detail: expect.stringContaining("The quota of svc-limited of API tokens (1)"), quota: "tokens_max" },
		});
		expect(await countRows()).toEqual(before);
	});

	it("without can_share refuses a check that is public, or becomes it", async () => {
		await setQuota({ can_share: false });
		const { api } = world.user;
		const share = { is_public: true };
		const refused = { status: 403, body: { quota: "can_share" } };
		expect(await api.patch(`/api/checks/${world.check}/`, share)).toMatchObject(refused);
		const body = { name: "Public", saved_query: world.query, type: "no_rows", ...share };
		expect(await api.post("/api/checks/", body)).toMatchObject(refused);
	});
});

describe("a fixed limit", () => {
	it.each(Object.entries(FIXED))(
		"refuses one more object at %s, and stores nothing",
		async (id, { limit, status, fill }) => {
			await setQuota({});
			await t.pool.query(fill, [world.user.id, limit]);
			const before = await countRows();
			const answer = await makeOne(id);
			expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(String(limit))]);
			expect(await countRows()).toEqual(before);
		},
	);
});

describe("every route with the method POST", () => {
	const known = [...Object.keys(QUOTAS), ...Object.keys(FIXED), ...Object.values(OTHERS).flat()];

	it("has a limit of the objects that it makes, or a reason to have none", () => {
		const posts = allRoutes.filter(({ method }) => method === "POST").map(({ id }) => id);
		expect(posts.filter((id) => !known.includes(id))).toEqual([]);
	});

	it("is listed once", () => {
		expect(known.filter((id, at) => known.indexOf(id) !== at)).toEqual([]);
		expect(known.filter((id) => !allRoutes.some((route) => route.id === id))).toEqual([]);
	});
});
