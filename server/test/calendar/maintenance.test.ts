/** Maintenance: alerts are held, states recorded, and recipients get one message at its end. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { releaseHeldAlerts } from "../../src/areas/checks/release-held-alerts.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { QUERIES } from "../support/canvases.ts";
import { useCheckRuns } from "../support/check-runs.ts";
import { type TestUser, waitUntil, waitUntilAfter } from "../support/harness.ts";
import { TASKS } from "../support/tasks.ts";
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts";

const ENTRIES = "/api/calendar/entries/";
const HOUR_MS = 3_600_000;

interface Notice {
	readonly title: string;
	readonly body: string;
	readonly severity: string;
	readonly link: string;
}

const webhooks = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
let receiver: Receiver;
afterAll(async () => {
	await webhooks.close();
	await receiver.close();
});
const runs = useCheckRuns({ webhooks });
let boss: TestUser;
let entries: string[] = [];
let names = 0;
beforeAll(async () => {
	receiver = await startReceiver();
	boss = await runs.t.user("boss", ["Admin"]);
});
afterEach(async () => {
	for (const id of entries) await runs.t.admin.api.del(`${ENTRIES}${id}/`);
	entries = [];
});

/** Adds a maintenance of connections that begins now and ends in an hour. */
async function addMaintenance(connections: string[], fields: Record<string, unknown> = {}) {
	const now = runs.t.clock.now();
	const { status, body, text } = await runs.t.admin.api.post(ENTRIES, {
		kind: "maintenance",
		title: `Upgrade ${++names}`,
		controller_connection_ids: connections,
		starts_at: new Date(now).toISOString(),
		ends_at: new Date(now + HOUR_MS).toISOString(),
		...fields,
	});
	expect(status, text).toBe(201);
	entries.push(body.id);
	return body as { id: string; title: string; ends_at: string };
}

/** Adds a check that fails on every run. */
async function addFailing(fields: object = {}) {
	const query = await runs.checks.query();
	const check = await runs.checks.add({ saved_query: query, type: "no_rows", name: `Held ${++names}`, ...fields });
	return { query, id: check.id as string, name: check.name as string };
}
/** Makes the query find nothing. */
const emptyQuery = (query: string) =>
	runs.ada.api.patch(`${QUERIES}${query}/`, {
		flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "vnsAbsGraph" } }], edges: [] },
	});
/** Lists the notifications of a user that contain a text, the oldest first. */
async function listNotices({ api }: Pick<TestUser, "api">, text: string): Promise<Notice[]> {
	const { body } = await api.get("/api/notifications/notifications/?page_size=200");
	return body.results.filter((notice: Notice) => notice.title.includes(text) || notice.body.includes(text)).reverse();
}
const waitForNotices = (user: TestUser, text: string) =>
	waitUntilAfter(runs.t.clock, 10_000, `${user.username} has a notification of ${text}`, async () => {
		const found = await listNotices(user, text);
		return found.length > 0 ? found : null;
	});

describe("alerts of checks during maintenance", () => {
	it("holds alerts of checks while states are recorded, and sends one message per recipient at the end", async () => {
		const { connection, other, checks, ada, t } = runs;
		const entry = await addMaintenance([connection, other]);
		const notify = { user_ids: [ada.id, boss.id] };
		const [first, second, third] = [await addFailing({ notify }), await addFailing(), await addFailing()];
		for (const { query } of [first, second, third]) await checks.run(query, connection);
		await checks.run(first.query, other);
		await emptyQuery(third.query);
		await checks.run(third.query, connection);
		const held = { kind: "maintenance", id: entry.id, title: entry.title, ends_at: entry.ends_at };
		expect(await checks.getState(first.id, connection)).toMatchObject({ state: "failing", held_by: held });
		expect(await checks.detail(first.id)).toMatchObject({ state: "failing", held_by: held });
		expect((await checks.events(first.id)).length).toBe(2);
		await t.clock.advance(HOUR_MS / 2);
		for (const { name } of [first, second, third]) expect(await listNotices(ada, name)).toEqual([]);

		await t.clock.advance(HOUR_MS / 2);
		const [own, ...more] = await waitForNotices(ada, entry.title);
		expect(more).toEqual([]);
		expect(own).toMatchObject({
			title: `Maintenance "${entry.title}" is over: 3 checks are failing`,
			severity: "warning",
			link: "/api/checks/",
		});
		expect(own?.body.split("\n").sort()).toEqual([
			expect.stringMatching(`^Check "${first.name}" is failing on fab-dc1: \\d+ violations?$`),
			expect.stringMatching(`^Check "${first.name}" is failing on fab-dc2: \\d+ violations?$`),
			expect.stringMatching(`^Check "${second.name}" is failing on fab-dc1: \\d+ violations?$`),
		]);
		const [named, ...others] = await waitForNotices(boss, entry.title);
		expect([named?.title, others]).toEqual([`Maintenance "${entry.title}" is over: 2 checks are failing`, []]);
		expect(await checks.detail(first.id)).toMatchObject({ held_by: null });
		await t.clock.advance(HOUR_MS);
		expect(await listNotices(ada, first.name)).toHaveLength(1);
		await emptyQuery(first.query);
		await checks.run(first.query, connection);
		expect((await listNotices(ada, first.name)).at(-1)?.title).toBe(`Check "${first.name}" is ok again on fab-dc1`);
	});

	it("sends alerts of other connections at once", async () => {
		const { connection, other, checks, ada } = runs;
		await addMaintenance([other]);
		const check = await addFailing();
		await checks.run(check.query, connection);
		expect((await listNotices(ada, check.name)).map(({ title }) => title)).toEqual([
			`Check "${check.name}" is failing on fab-dc1`,
		]);
	});

	it("sends held alerts if the maintenance ends early, and if it is deleted", async () => {
		const { connection, checks, ada, t } = runs;
		for (const end of ["patch", "delete"]) {
			const entry = await addMaintenance([connection]);
			const check = await addFailing();
			await checks.run(check.query, connection);
			await t.clock.advance(60_000);
			expect(await listNotices(ada, check.name)).toEqual([]);
			const path = `${ENTRIES}${entry.id}/`;
			if (end === "delete") await t.admin.api.del(path);
			else await t.admin.api.patch(path, { ends_at: new Date(t.clock.now()).toISOString() });
			const [notice] = await waitForNotices(ada, check.name);
			expect(notice?.title).toBe(`Maintenance "${entry.title}" is over: 1 check is failing`);
		}
	});

	it("holds alerts until the end of a second maintenance of the connection", async () => {
		const { connection, checks, ada, t } = runs;
		const first = await addMaintenance([connection], { ends_at: new Date(t.clock.now() + HOUR_MS).toISOString() });
		const check = await addFailing();
		await checks.run(check.query, connection);
		const second = await addMaintenance([], { ends_at: new Date(t.clock.now() + 2 * HOUR_MS).toISOString() });
		await t.clock.advance(1.5 * HOUR_MS);
		expect(await listNotices(ada, check.name)).toEqual([]);
		await t.clock.advance(HOUR_MS);
		const titles = (await waitForNotices(ada, check.name)).map(({ title }) => title);
		expect(titles).toEqual([`Maintenance "${second.title}" is over: 1 check is failing`]);
		expect(await listNotices(ada, first.title)).toEqual([]);
	});

	it("sends held alerts once if several processes find the end at the same time", async () => {
		const { connection, checks, ada, t } = runs;
		const entry = await addMaintenance([connection]);
		const check = await addFailing();
		await checks.run(check.query, connection);
		await t.pool.query("update calendar_entries set ends_at = $1 where id = $2", [
			new Date(t.clock.now()).toISOString(),
			entry.id,
		]);
		const { signal } = new AbortController();
		await Promise.all([1, 2, 3].map(() => releaseHeldAlerts(t.app.context, signal)));
		await t.clock.advance(60_000);
		expect(await listNotices(ada, check.name)).toHaveLength(1);
	});
});

async function addTask(fields: object = {}) {
	const { status, body, text } = await runs.ada.api.post(TASKS, {
		name: `Task ${++names}`,
		saved_query: await runs.checks.query(),
		controller_connection_ids: [runs.connection],
		frequency: "weekly",
		time_of_day: "00:00",
		day_of_week: 0,
		retry_enabled: false,
		...fields,
	});
	expect(status, text).toBe(201);
	return body as { id: string; name: string; held_by: object | null };
}
/** Runs a task, and waits until it has ended as often as `count`. */
async function runTask({ id }: { id: string }, count: number): Promise<void> {
	expect((await runs.ada.api.post(`${TASKS}${id}/execute_now/`)).status).toBeLessThan(300);
	await waitUntil("the run of the task has ended", async () => {
		const task = (await runs.ada.api.get(`${TASKS}${id}/`)).body;
		return task.success_count + task.failure_count === count;
	});
}

describe("alerts of schedules during maintenance", () => {
	it("holds alerts of schedules until the end of maintenance, and drops them if a later run succeeds", async () => {
		const { connection, ada, lab, t } = runs;
		const entry = await addMaintenance([connection]);
		const [broken, mended] = [await addTask(), await addTask()];
		expect(broken.held_by).toMatchObject({ kind: "maintenance", id: entry.id, title: entry.title });
		runs.failTenantQueries();
		await runTask(broken, 1);
		await runTask(mended, 1);
		lab.clearFaults();
		await runTask(mended, 2);
		expect(await listNotices(ada, `"${broken.name}"`)).toEqual([]);
		await t.clock.advance(HOUR_MS);
		const [notice] = await waitForNotices(ada, entry.title);
		expect(notice?.title).toBe(`Maintenance "${entry.title}" is over: 1 alert of schedules`);
		expect(notice?.body).toContain(`Scheduled task "${broken.name}"`);
		expect(notice?.body).not.toContain(mended.name);
	});

	it("sends a held alert of drift in the category of drift, apart from those of schedules", async () => {
		const { connection, ada, lab, t, checks } = runs;
		const saved_query = await checks.query();
		await ada.api.patch(`${QUERIES}${saved_query}/`, { enable_time_machine: true });
		const [drifting, broken] = [await addTask({ saved_query }), await addTask()];
		await runTask(drifting, 1);
		const entry = await addMaintenance([connection]);
		const name = `drift-${++names}`;
		lab.load({ imdata: [{ fvTenant: { attributes: { dn: `uni/tn-${name}`, name } } }] });
		await runTask(drifting, 2);
		runs.failTenantQueries();
		await runTask(broken, 1);
		lab.clearFaults();
		await t.clock.advance(HOUR_MS);
		const titles = await waitUntilAfter(t.clock, 10_000, "both alerts are sent", async () => {
			const { body } = await ada.api.get("/api/notifications/notifications/?page_size=200");
			const found = body.results.filter(({ title }: Notice) => title.includes(entry.title));
			const sent = found.map(({ category, title }: Notice & { category: string }) => `${category} ${title}`).sort();
			return sent.length < 2 ? null : sent;
		});
		expect(titles).toEqual([
			`scheduled_task Maintenance "${entry.title}" is over: 1 alert of schedules`,
			`time_machine Maintenance "${entry.title}" is over: 1 alert of drift`,
		]);
	});

	it.each([
		["the owner's", () => runs.ada, {}],
		["a shared", () => boss, { is_shared: true }],
	] as const)("sends held alerts of schedules to %s webhook at the end of maintenance", async (_, user, fields) => {
		const { connection, t } = runs;
		const entry = await addMaintenance([connection]);
		const task = await addTask();
		runs.failTenantQueries();
		await runTask(task, 1);
		const hook = { name: `Hook ${++names}`, url: receiver.url, secret: "a-secret-of-the-receiver", ...fields };
		const { status, body, text } = await user().api.post("/api/notifications/webhooks/", hook);
		expect(status, text).toBe(201);
		await t.clock.advance(HOUR_MS);
		await waitUntilAfter(t.clock, 10_000, "the webhook is called", async () =>
			receiver.received.some(({ body }) => body.data?.title?.includes(`"${entry.title}"`)),
		);
		await user().api.del(`/api/notifications/webhooks/${body.id}/`);
	});
});
