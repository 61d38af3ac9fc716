/**
 * Several webhooks per user, and shared ones: rights, formats, limits, and nodes of the previous
 * version.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";
import { createStatusResponder, isSigned, type Receiver } from "../support/webhook-receiver.ts";
import { HOOKS, SECRET, useWebhooks } from "../support/webhooks.ts";

const hooks = useWebhooks();
const { getUrl, addHook, listHooks, publishNotice, findDeliveries } = hooks;
let t: TestApp;
let receiver: Receiver;
let ada: TestUser;
beforeAll(() => {
	({ t, receiver } = hooks);
});
beforeEach(() => {
	({ ada } = hooks);
});

const NOTHING = "01890000-0000-7000-8000-000000000000";
const DELIVERIES = "/api/notifications/deliveries/";
const listPaths = () => receiver.received.map(({ path }) => path).sort();
let boss: TestUser;
beforeAll(async () => {
	boss = await t.user("boss", ["Admin"]);
});
beforeEach(() => t.pool.query("delete from webhooks"));

describe("webhooks", () => {
	it("are added with defaults, read, changed, replaced and removed; the secret is never shown", async () => {
		const made = await ada.api.post(HOOKS, { name: " Ops ", url: getUrl("/ops"), secret: SECRET });
		expect(made.status).toBe(201);
		expect(made.text).not.toContain(SECRET);
		expect(made.body).toEqual({
			id: expect.any(String),
			name: "Ops",
			url: getUrl("/ops"),
			format: "json",
			categories: ["scheduled_task", "automation_execution", "time_machine", "system"],
			enabled: true,
			is_shared: false,
			available: true,
			has_secret: true,
			last_attempt_at: null,
			last_success_at: null,
			last_error: "",
			failing_since: null,
			held_until: null,
			created_at: new Date(t.clock.now()).toISOString(),
			updated_at: new Date(t.clock.now()).toISOString(),
		});
		const one = `${HOOKS}${made.body.id}/`;
		expect((await ada.api.get(one)).body).toEqual(made.body);
		expect((await ada.api.get(HOOKS)).body).toEqual({ count: 1, next: null, previous: null, results: [made.body] });
		const changed = await ada.api.patch(one, { name: "Chat", format: "slack", categories: ["system"] });
		expect(changed.body).toMatchObject({ name: "Chat", format: "slack", categories: ["system"], has_secret: true });
		expect((await ada.api.patch(one, {})).body).toEqual(changed.body);
		const replaced = await ada.api.put(one, { name: "All", url: getUrl("/all") });
		expect(replaced.body).toMatchObject({ name: "All", url: getUrl("/all"), format: "json", has_secret: true });
		expect(replaced.body.categories).toHaveLength(4);
		expect((await ada.api.del(one)).status).toBe(204);
		for (const gone of [await ada.api.get(one), await ada.api.del(one), await ada.api.post(`${one}test/`)])
			expect(gone.status).toBe(404);
	});

	it.each([
		[{}, ["name", "url"]],
		[{ name: " ", url: "http://127.0.0.1/", secret: SECRET }, ["name"]],
		[{ name: "x".repeat(151), url: "http://127.0.0.1/", secret: SECRET }, ["name"]],
		[{ name: "x", url: "http://127.0.0.1/" }, ["secret"]],
		[{ name: "x", url: "http://127.0.0.1/", format: "xml" }, ["format"]],
		[{ name: "x", url: "http://10.0.0.1/", format: "slack" }, ["url"]],
		[{ name: "x", url: "http://127.0.0.1/", format: "slack", secret: "short" }, ["secret"]],
		[{ name: "x", url: "http://127.0.0.1/", secret: SECRET, categories: ["nothing"] }, ["categories.0"]],
	])("refuse %j", async (input, fields) => {
		const { status: code, body } = await ada.api.post(HOOKS, input);
		expect([code, Object.keys(body).sort()]).toEqual([400, fields]);
		expect(await listHooks()).toEqual([]);
	});

	it("need a secret as JSON only, and again for another origin", async () => {
		const { id } = await addHook({ format: "teams", secret: undefined });
		const refused = await ada.api.patch(`${HOOKS}${id}/`, { format: "json" });
		expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["secret"]]);
		expect((await ada.api.patch(`${HOOKS}${id}/`, { format: "json", secret: SECRET })).status).toBe(200);
		const moved = await ada.api.patch(`${HOOKS}${id}/`, { url: "http://127.0.0.1:1/" });
		expect([moved.status, Object.keys(moved.body)]).toEqual([400, ["secret"]]);
	});

	it("a user without a quota has at most 20 webhooks, however many are added at once", async () => {
		const input = { name: "x", url: getUrl("/"), secret: SECRET };
		expect(await listHooks()).toEqual([]);
		const codes = await Promise.all(Array.from({ length: 22 }, async () => (await ada.api.post(HOOKS, input)).status));
		expect(codes.sort()).toEqual([...Array(20).fill(201), 403, 403]);
		expect((await ada.api.post(HOOKS, input)).body).toEqual({
			detail: "Your quota of webhooks (20) is used up. Delete what you no longer need. An administrator can raise it.",
			quota: "webhooks_max",
		});
		expect((await ada.api.get(`${HOOKS}?page_size=5&page=4`)).body.results).toHaveLength(5);
	});

	it("are their user's alone, also for administrators", async () => {
		const { id } = await addHook();
		const eve = await t.user(`eve-${ada.username}`);
		for (const { api } of [eve, boss]) {
			expect((await api.get(HOOKS)).body.count).toBe(0);
			for (const answer of [
				await api.get(`${HOOKS}${id}/`),
				await api.patch(`${HOOKS}${id}/`, { enabled: false }),
				await api.put(`${HOOKS}${id}/`, { name: "x", url: getUrl("/eve"), secret: SECRET }),
				await api.post(`${HOOKS}${id}/test/`),
				await api.get(`${DELIVERIES}?webhook=${id}`),
				await api.del(`${HOOKS}${id}/`),
			])
				expect(answer.status).toBe(404);
		}
		expect(await listHooks()).toMatchObject([{ id, enabled: true }]);
		expect((await ada.api.get(`${DELIVERIES}?webhook=${NOTHING}`)).status).toBe(404);
	});

	it("keep secret and path out of the audit log, and the secret out of the store", async () => {
		const { id } = await addHook({ url: getUrl("/a-token-in-the-path") });
		await ada.api.patch(`${HOOKS}${id}/`, { name: "Other" });
		await ada.api.post(`${HOOKS}${id}/test/`);
		await ada.api.del(`${HOOKS}${id}/`);
		const entries = await findAudit(t, id);
		expect(entries.map(({ action }) => action).sort()).toEqual([
			...["webhook_create", "webhook_delete", "webhook_test", "webhook_update"],
		]);
		expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${SECRET}|a-token-in-the-path`));
	});
});

describe("a test", () => {
	it.each(["slack", "teams"] as const)("keeps the address of %s secret, and sends to it", async (format) => {
		const url = getUrl("/services/T0/B0/very-secret");
		const made = await addHook({ url, format, secret: undefined });
		const one = `${HOOKS}${made.id}/`;
		const host = new URL(url).host;
		expect(made).toMatchObject({ url: "", url_host: host });
		expect(await ada.api.post(`${one}test/`)).toMatchObject({ status: 200 });
		const shown = [one, HOOKS, DELIVERIES].map(async (path) => (await ada.api.get(path)).text);
		const stored = await t.pool.query("select w::text as text from webhooks w");
		const audit = JSON.stringify(await findAudit(t, made.id));
		for (const text of [...(await Promise.all(shown)), JSON.stringify(stored.rows), audit])
			expect(text).not.toContain("very-secret");
		const renamed = await ada.api.patch(one, { name: "Renamed" });
		expect(renamed.body).toMatchObject({ name: "Renamed", url: "", url_host: host });
		receiver.received.length = 0;
		await ada.api.post(`${one}test/`);
		expect(receiver.received.map(({ path }) => path)).toEqual(["/services/T0/B0/very-secret"]);
		const asJson = await ada.api.patch(one, { format: "json", enabled: false });
		expect(asJson.body).toMatchObject({ format: "json", url: "", url_host: host });
		const moved = await ada.api.patch(one, { format: "json", enabled: false, url: getUrl("/open") });
		expect(moved.body).toMatchObject({ url: getUrl("/open") });
		expect(moved.body).not.toHaveProperty("url_host");
		expect((await ada.api.patch(one, { format })).body).toMatchObject({ url: "", url_host: host });
	});

	it("seals the secret addresses that an earlier version has stored", async () => {
		const { id } = await addHook({ url: getUrl("/old"), format: "slack", secret: undefined });
		await t.pool.query("update webhooks set url = $2, url_sealed = '' where id = $1", [id, getUrl("/old/very-secret")]);
		const before = (await ada.api.get(`${HOOKS}${id}/`)).text;
		expect(before).not.toContain("very-secret");
		await t.clock.advance(2 * 3_600_000);
		const stored = async () =>
			JSON.stringify((await t.pool.query("select w::text as text from webhooks w where id = $1", [id])).rows);
		await waitUntil("the address is sealed", async () => !(await stored()).includes("very-secret"));
		await ada.api.post(`${HOOKS}${id}/test/`);
		expect(receiver.received.map(({ path }) => path)).toEqual(["/old/very-secret"]);
	});

	it.each(["json", "slack", "teams"] as const)("is sent as %s, also by a webhook that is off", async (format) => {
		// An address of its own: what the test before has caused may still arrive.
		const path = `/test-${format}`;
		const { id } = await addHook({ format, enabled: false, url: getUrl(path) });
		expect(await ada.api.post(`${HOOKS}${id}/test/`)).toMatchObject({ status: 200, body: { response_status: 204 } });
		const got = receiver.received.find((hook) => hook.path === path);
		expect(got?.text).toContain(format === "teams" ? "Weft" : ada.username);
		expect(got && isSigned(got, SECRET)).toBe(true);
		receiver.answer = createStatusResponder(404);
		const failed = await ada.api.post(`${HOOKS}${id}/test/`);
		expect([failed.status, failed.body]).toEqual([
			400,
			{ success: false, message: "The receiver answered 404.", reason: "status", response_status: 404 },
		]);
	});
});

describe("a shared webhook", () => {
	it("is the administrators', all of them, and nobody else's", async () => {
		const input = { name: "Team", url: getUrl("/team"), secret: SECRET, is_shared: true };
		expect((await ada.api.post(HOOKS, input)).status).toBe(403);
		const own = await addHook();
		expect((await ada.api.patch(`${HOOKS}${own.id}/`, { is_shared: true })).status).toBe(403);
		const { id } = await addHook(input, boss);
		expect(await listHooks()).toMatchObject([{ id: own.id }]);
		expect((await ada.api.get(`${HOOKS}${id}/`)).status).toBe(404);
		expect((await ada.api.get(`${DELIVERIES}?webhook=${id}`)).status).toBe(404);
		expect((await t.admin.api.patch(`${HOOKS}${id}/`, { name: "Everybody" })).status).toBe(200);
		expect(await listHooks(boss)).toMatchObject([{ id, name: "Everybody", is_shared: true }]);
		// It may become one administrator's own, and back.
		expect((await t.admin.api.patch(`${HOOKS}${id}/`, { is_shared: false })).body.is_shared).toBe(false);
		expect(await listHooks(boss)).toEqual([]);
		expect((await t.admin.api.put(`${HOOKS}${id}/`, input)).body).toMatchObject({ is_shared: true, has_secret: true });
		expect((await boss.api.post(`${HOOKS}${id}/test/`)).status).toBe(200);
	});

	it("receives each event once for all notified users, and nothing about a user's own account", async () => {
		const { id } = await addHook(
			{ url: getUrl("/team"), is_shared: true, categories: ["automation_execution", "system"] },
			boss,
		);
		const bob = await t.user(`bob-${ada.username}`);
		const key = `both${ada.username}`;
		await Promise.all([
			publishNotice({ key, title: "Once" }),
			publishNotice({ key, title: "Once" }, bob),
			publishNotice({ key, title: "Once" }),
		]);
		await publishNotice({ category: "time_machine", title: "Not wanted" });
		await ada.api.post("/api/auth/password/change/", {
			current_password: ada.password,
			new_password: "another good passphrase 7",
		});
		await t.admin.api.post("/api/notifications/announcements/", { title: `Maintenance ${ada.username}` });
		await waitUntil(
			"both are delivered",
			async () => (await findDeliveries(`?webhook=${id}&state=delivered`, boss)).length === 2,
		);
		await waitUntil(
			"nothing is left",
			async () => (await findDeliveries(`?webhook=${id}&state=pending`, boss)).length === 0,
		);
		expect(receiver.received.map(({ body }) => body.data.title).sort()).toEqual([
			`Maintenance ${ada.username}`,
			"Once",
		]);
		expect(await findDeliveries()).toEqual([]);
		expect(await findDeliveries("?channel=webhook", boss)).toEqual([]);
	});

	it("that fails for days is switched off, and all administrators are notified", async () => {
		receiver.answer = createStatusResponder(410);
		await addHook({ name: "Team", url: getUrl("/team"), is_shared: true }, boss);
		await publishNotice();
		await waitUntil("it is switched off", async () => (await listHooks(boss))[0].enabled === false);
		for (const user of [boss, t.admin]) {
			const { results } = (await user.api.get("/api/notifications/notifications/?category=system&severity=error")).body;
			expect(results[0].title).toBe('The shared webhook "Team" was switched off');
		}
		expect((await ada.api.get("/api/notifications/notifications/?category=system")).body.count).toBe(0);
	});

	it("outlives the administrator who set it up", async () => {
		const chief = await t.user(`chief-${ada.username}`, ["Admin"]);
		const { id } = await addHook({ is_shared: true }, chief);
		await t.admin.api.del(`/api/auth/management/${chief.id}/`);
		await publishNotice();
		await waitUntil(
			"it is delivered",
			async () => (await findDeliveries(`?webhook=${id}&state=delivered`, boss)).length === 1,
		);
	});

	it("is one of at most 20", async () => {
		for (let i = 0; i < 20; i++) await addHook({ is_shared: true, enabled: false }, boss);
		const own = await addHook({}, boss);
		const more = await boss.api.post(HOOKS, { name: "x", url: getUrl("/"), secret: SECRET, is_shared: true });
		expect([more.status, more.body.detail]).toEqual([400, expect.stringContaining("20 shared webhooks")]);
		expect((await boss.api.patch(`${HOOKS}${own.id}/`, { is_shared: true })).status).toBe(400);
	});
});

describe("a node of the previous version", () => {
	const SETTINGS = "enabled, url, secret_sealed, categories, created_at, updated_at";
	const set = (user: TestUser, path: string) =>
		t.pool.query(
			`insert into notification_webhooks (user_id, ${SETTINGS}) values ($1, true, $2, $3, '{system}', now(), now())
			on conflict (user_id) do update set url = excluded.url, secret_sealed = excluded.secret_sealed`,
			[user.id, getUrl(path), t.deps.secrets.seal(SECRET, `notification_webhooks:${user.id}:secret`)],
		);
	const stored = async (user: TestUser) =>
		(await t.pool.query("select * from notification_webhooks where user_id = $1", [user.id])).rows;

	it("sees what this one changes, and the other way round", async () => {
		await set(ada, "/old");
		expect(await listHooks()).toMatchObject([
			{ name: "Webhook", format: "json", url: getUrl("/old"), categories: ["system"] },
		]);
		const [{ id }] = await listHooks();
		expect((await ada.api.post(`${HOOKS}${id}/test/`)).status).toBe(200);
		expect(isSigned(receiver.received[0] as never, SECRET)).toBe(true);
		await ada.api.patch(`${HOOKS}${id}/`, { url: getUrl("/new"), categories: ["time_machine"] });
		expect(await stored(ada)).toMatchObject([{ url: getUrl("/new"), categories: ["time_machine"], enabled: true }]);
		await set(ada, "/newer");
		expect(await listHooks()).toMatchObject([{ url: getUrl("/newer"), categories: ["time_machine"] }]);
		await ada.api.patch(`${HOOKS}${id}/`, { format: "slack" });
		expect(await stored(ada)).toMatchObject([{ enabled: false }]);
		expect((await ada.api.del(`${HOOKS}${id}/`)).status).toBe(204);
		expect(await stored(ada)).toEqual([]);
		await set(ada, "/again");
		await t.pool.query("delete from notification_webhooks where user_id = $1", [ada.id]);
		expect(await listHooks()).toEqual([]);
	});

	it("leaves deliveries without a webhook's id, which go to the only one there was", async () => {
		await set(ada, "/old");
		await t.pool.query("update notification_webhooks set enabled = false where user_id = $1", [ada.id]);
		await publishNotice({ category: "system" });
		await t.pool.query("update notification_webhooks set enabled = true where user_id = $1", [ada.id]);
		await t.pool.query(
			`insert into notification_deliveries (id, notification_id, user_id, channel, state, due_at, look_at, created_at)
			select gen_random_uuid(), id, user_id, 'webhook', 'pending', $2, $2, $2 from notifications where user_id = $1`,
			[ada.id, new Date(t.clock.now())],
		);
		await t.clock.advance(10_000);
		await waitUntil("it has come", () => receiver.received.length === 1);
		expect(listPaths()).toEqual(["/old"]);
		await waitUntil("it is written down", async () => (await findDeliveries())[0]?.state === "delivered");
	});
});
