/**
 * Object ownership: each route with an object in its path, called by the owner, and by a user with
 * the same permissions who owns nothing. rights.test.ts covers permissions.
 */
import { allRoutes, type RouteContract } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { createWorld, VALID_CALLS, type World } from "../support/valid-calls.ts";

/** Paths of what nobody owns: all who have the right work on it. */
const SHARED = [
	"/api/queries/categories/",
	"/api/automation/categories/",
	"/api/automation/templates/validation-status/",
	"/api/mim/explorer/",
	"/api/checks/templates/",
	"/api/change-plans/templates/",
	"/api/queries/gallery/",
	"/api/mim/classes/",
	"/api/mim-registry/",
];
/** The gate keeps both of them out: others than who asks say yes or no. */
const DECIDED = [
	"automation_requests.approve",
	"automation_requests.reject",
	"change_windows.approve",
	"change_windows.reject",
	"change_windows.override",
	"automation_executions.override",
];
/** There is none even for the owner: the job is no workflow. */
const NODE = "automation_executions.node_output";
const NOTHING = "01890000-0000-7000-8000-000000000000";
/** A delivery of the owner's notification to the owner's webhook. */
const DELIVERY = "01890000-0000-7000-8000-00000000000d";

let t: TestApp;
let world: World;
let stranger: TestUser;
/** The owner's object, by the beginning of the path. */
let owned: Record<string, string>;
beforeAll(async () => {
	t = await startTestApp();
	world = await createWorld(t);
	stranger = await t.user("stranger", ["Editor", "Operator"]);
	const { automation, query, connection, connectionGroup, user } = world;
	const { api } = user;
	const run = await api.post(`/api/queries/saved-queries/${query}/execute_background/`, {
		controller_connection_id: connection,
	});
	const group = await api.post("/api/queries/group-executions/", {
		saved_query_id: query,
		connection_ids: [connection],
	});
	const live = await api.post("/api/find/live/", { q: "web", controller_connection_ids: [connection] });
	const favorite = await api.post("/api/mim/favorites/", { class_name: "fvTenant" });
	await t.admin.api.post("/api/notifications/announcements/", { title: "Tonight", body: "All.", severity: "info" });
	const sessions = (await api.get("/api/auth/sessions/")).body;
	const token = await api.post("/api/auth/tokens/", { name: "mine" });
	const executions = await t.pool.query(
		`insert into automation_executions (id, request_id, connection_id, kind, server_template_id, reference, launch_state, launched_by_id,
				launched_by, check_mode, status, created_at, updated_at)
			values ('01890000-0000-7000-8000-00000000000e', $1, $2, 'job', 7, 'x', 'ended', $3, 'mallory', false, 'failed', now(), now()) returning id`,
		[automation.requests[0], automation.connection, user.id],
	);
	const source = await t.pool.query(
		`insert into calendar_sources (id, url_sealed, url_host, kind, connection_ids, connection_group_ids, time_zone, created_by_id,
				next_read_at, created_at)
			values (gen_random_uuid(), 'x', 'calendar.example.com', 'maintenance', '{}', '{}', 'UTC', $1, now() + interval '1 day', now())
			returning id`,
		[user.id],
	);
	const feed = await api.post("/api/calendar/feed/");
	const notification = (await api.get("/api/notifications/notifications/")).body.results[0].id;
	await t.pool.query(
		`insert into notification_deliveries (id, notification_id, user_id, webhook_id, channel, state, due_at, look_at, created_at, finished_at)
			values ($1, $2, $3, $4, 'webhook', 'failed', now(), now(), now(), now())`,
		[DELIVERY, notification, user.id, world.webhook],
	);
	owned = {
		"/api/auth/sessions/": sessions.find(({ is_current }: { is_current: boolean }) => !is_current).id,
		"/api/auth/tokens/": token.body.id,
		"/api/controller/connections/": connection,
		"/api/controller/connection-groups/": connectionGroup,
		"/api/calendar/entries/": world.calendarEntry,
		"/api/calendar/sources/": source.rows[0].id,
		"/api/calendar/feed/": feed.body.url.split("/").at(-2),
		"/api/queries/saved-queries/": query,
		"/api/queries/pipeline-executions/": run.body.id,
		"/api/queries/group-executions/": group.body.id,
		"/api/find/live/": live.body.id,
		"/api/queries/scheduled-tasks/": world.task,
		"/api/checks/": world.check,
		"/api/time-machine/snapshots/": world.snapshots[0] ?? "",
		"/api/time-machine/saved-queries/": query,
		"/api/notifications/notifications/": notification,
		"/api/notifications/webhooks/": world.webhook,
		"/api/notifications/deliveries/": DELIVERY,
		"/api/notifications/webhooks/deliveries/": DELIVERY,
		"/api/mim/favorites/": favorite.body.id,
		"/api/mim/table-templates/": world.tableTemplate,
		"/api/mim/table-preferences/": world.tablePreference,
		"/api/change-plans/": world.windows.plan,
		"/api/change-windows/": world.windows.judged[0],
		"/api/automation/connections/": automation.connection,
		"/api/automation/templates/": automation.template,
		"/api/automation/column-templates/": automation.column,
		"/api/automation/validation-lists/": automation.list,
		"/api/automation/regex-patterns/": automation.pattern,
		"/api/automation/requests/": automation.requests[0],
		"/api/automation/executions/": executions.rows[0].id,
	};
});
afterAll(() => t.close());

const isShared = ({ path }: RouteContract): boolean => SHARED.some((beginning) => path.startsWith(beginning));
const ofObjects = allRoutes.filter(
	(route) =>
		route.auth === "bearer" &&
		route.permission !== "admin" &&
		route.path.includes("/:") &&
		!isShared(route) &&
		!DECIDED.includes(route.id),
);
/** What removes an object comes when nobody asks for it any more. */
const inOrder = [...ofObjects].sort((a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"));

function getObject({ path }: RouteContract): string {
	const beginning = Object.keys(owned).find((one) => path.startsWith(`${one}:`));
	if (beginning === undefined) throw new Error(`nobody's object is known for ${path}`);
	return owned[beginning] ?? "";
}

async function callRoute(user: TestUser, route: RouteContract, object: string): Promise<number> {
	const path = route.path
		.replace(/:\w+/, object)
		.replace(":version", route.id === "automation_requests.version" ? "1" : "v1.0")
		.replace(":finding_id", world.windows.finding)
		.replace(":evidence_id", world.windows.evidence)
		.replace(":connection_id", world.connection)
		.replace(":delivery_id", DELIVERY)
		.replace(/:\w+/g, "1");
	const body = (await VALID_CALLS[route.id]?.(world))?.body ?? {};
	const [payload, headers] = route.body ? [JSON.stringify(body), { "content-type": "application/json" }] : [];
	return (await user.api.send(route.method, path, payload, headers)).status;
}

describe("an object", { timeout: ALL_ROUTES_TIMEOUT_MS }, () => {
	it("does not exist for a user who neither owns it nor may see it", () =>
		expectOfEachRoute(ofObjects, async (route) => {
			const status = await callRoute(stranger, route, getObject(route));
			// If the body is refused before the object is read, the same happens for a missing object.
			expect(status).toBe(await callRoute(stranger, route, NOTHING));
			expect([400, 404, 415]).toContain(status);
		}));

	it("may be used by its owner", () =>
		expectOfEachRoute(
			inOrder.filter(({ id }) => id !== NODE),
			async (route) => {
				expect([401, 403, 404]).not.toContain(await callRoute(world.user, route, getObject(route)));
			},
		));
});
