/**
 * One outgoing webhook, to a real receiver: setting up, signatures, tests, what may be sent to,
 * and who sees what.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { createStatusResponder, isSigned, type Receiver } from "../support/webhook-receiver.ts";
import { SECRET, useWebhooks } from "../support/webhooks.ts";

const hooks = useWebhooks();
const { postHook, getHook, getHookPath, changeHook, enableHook, testHook, publishNotice, findDeliveries } = hooks;
let t: TestApp;
let receiver: Receiver;
let ada: TestUser;
beforeAll(() => {
	({ t, receiver } = hooks);
});
beforeEach(() => {
	({ ada } = hooks);
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const DELIVERIES = "/api/notifications/deliveries/";

describe("a webhook", () => {
	it("needs its secret again for another host, port or scheme, but not for another path", async () => {
		await enableHook();
		const { origin, port } = new URL(receiver.url);
		for (const url of [`https://127.0.0.1:${port}/hook`, "http://127.0.0.1:1/hook", `http://localhost:${port}/hook`]) {
			const refused = await changeHook({ url });
			expect([refused.status, refused.body]).toEqual([400, { secret: [expect.stringContaining(origin)] }]);
		}
		expect(await getHook()).toMatchObject({ url: receiver.url });
		expect((await changeHook({ url: `${origin}/another` })).status).toBe(200);
		expect((await changeHook({ url: "http://127.0.0.1:1/", secret: SECRET })).status).toBe(200);
	});

	it("gets each notification, signed, from when it is set up", async () => {
		await publishNotice();
		const set = await enableHook();
		expect(set.status).toBe(201);
		expect(set.text).not.toContain(SECRET);
		expect(set.body).toEqual({
			id: expect.any(String),
			name: "Receiver",
			format: "json",
			is_shared: false,
			available: true,
			enabled: true,
			url: receiver.url,
			has_secret: true,
			last_error: "",
			categories: ["scheduled_task", "automation_execution", "time_machine", "system"],
			last_attempt_at: null,
			last_success_at: null,
			failing_since: null,
			held_until: null,
			created_at: new Date(t.clock.now()).toISOString(),
			updated_at: new Date(t.clock.now()).toISOString(),
		});
		await publishNotice({ severity: "error", title: "It failed", body: "Why. 🙂", link: "/api/x/" });
		await waitUntil("it has come", () => receiver.received.length === 1);
		const [got] = receiver.received;
		const { results } = (await ada.api.get("/api/notifications/notifications/")).body;
		const { read_at: _, ...told } = results.find(({ title }: { title: string }) => title === "It failed");
		const facts = { url: null, event: "request_ended", actor: null, objects: [] };
		expect(got?.body).toEqual({
			type: "notification_created",
			timestamp: told.created_at,
			data: { ...told, ...facts },
		});
		expect(got?.path).toBe("/hook?token=x");
		expect(got?.headers).toMatchObject({
			"webhook-id": told.id,
			"content-type": "application/json",
			"user-agent": "Weft/0.0.0-test",
			"webhook-timestamp": String(Math.floor(t.clock.now() / 1000)),
		});
		expect(got && isSigned(got, SECRET)).toBe(true);
		expect(got && isSigned({ ...got, text: `${got.text} ` }, SECRET)).toBe(false);
		await waitUntil("it is written down", async () => (await findDeliveries())[0]?.state === "delivered");
		expect(await findDeliveries()).toMatchObject([
			{ channel: "webhook", attempts: 1, response_status: 204, error: "" },
		]);
		expect((await getHook()).last_success_at).toBe(new Date(t.clock.now()).toISOString());
	});

	it("is signed with the bytes of a base64 secret", async () => {
		const key = Buffer.from("0123456789abcdef01234567");
		await enableHook({ secret: `whsec_${key.toString("base64")}` });
		await publishNotice();
		await waitUntil("it has come", () => receiver.received.length === 1);
		expect(receiver.received[0] && isSigned(receiver.received[0], key)).toBe(true);
	});

	it("gets the categories that it wants, hidden from the list or not", async () => {
		await enableHook({ categories: ["system", "time_machine", "system"] });
		expect((await getHook()).categories).toEqual(["time_machine", "system"]);
		await ada.api.patch("/api/notifications/preferences/", { in_app_enabled: false });
		await publishNotice({ category: "scheduled_task" });
		await publishNotice({ category: "system" });
		await waitUntil("one has come", () => receiver.received.length === 1);
		expect(receiver.received[0]?.body.data.category).toBe("system");
		expect(await findDeliveries()).toHaveLength(1);
	});

	it.each([
		[{ enabled: true }, ["secret"]],
		[{ enabled: true, url: "http://127.0.0.1/", secret: "short" }, ["secret"]],
		[{ secret: "with a space in the middle" }, ["secret"]],
		[{ secret: "whsec_not base64 at all!" }, ["secret"]],
		[{ secret: "whsec_@@@@@@@@@@@@" }, ["secret"]],
		[{ url: "" }, ["url"]],
		[{ url: "not an address" }, ["url"]],
		[{ url: "ftp://127.0.0.1/" }, ["url"]],
		[{ url: "file:///etc/passwd" }, ["url"]],
		[{ url: "http://user:password@127.0.0.1/" }, ["url"]],
		[{ url: "http://127.0.0.1/#part" }, ["url"]],
		[{ url: `http://127.0.0.1/${"x".repeat(2000)}` }, ["url"]],
		[{ categories: ["nothing"] }, ["categories.0"]],
	])("refuses the change %j", async (patch, fields) => {
		await postHook({ enabled: false, secret: undefined });
		const { status: code, body } = await changeHook(patch);
		expect([code, Object.keys(body).sort()]).toEqual([400, [...fields].sort()]);
	});

	it("keeps its secret: sealed in the store, in no answer and no audit entry; its path is in no entry either", async () => {
		await enableHook();
		await changeHook({ categories: ["system"] });
		await testHook();
		const { rows } = await t.pool.query("select w::text as text from webhooks w where user_id = $1", [ada.id]);
		expect(rows[0].text).not.toContain(SECRET);
		const entries = await t.pool.query("select a::text as text, action from audit_log a where user_id = $1", [ada.id]);
		const actions = entries.rows.map(({ action }) => action).filter((action) => action.startsWith("webhook"));
		expect(actions.sort()).toEqual(["webhook_create", "webhook_test", "webhook_update"]);
		for (const { text } of entries.rows) {
			expect(text).not.toContain(SECRET);
			expect(text).not.toContain("token=x");
		}
	});

	it("moved to another row opens nothing", async () => {
		await enableHook();
		const bob = await t.user(`bob-${ada.username}`);
		await t.pool.query(
			`insert into webhooks (id, user_id, name, format, enabled, url, secret_sealed, categories, created_at, updated_at)
			select gen_random_uuid(), $2, name, format, enabled, url, secret_sealed, categories, created_at, updated_at
			from webhooks where user_id = $1`,
			[ada.id, bob.id],
		);
		const { status: code, body } = await testHook(bob);
		expect([code, body.reason]).toEqual([400, "secret"]);
		expect(receiver.received).toEqual([]);
	});

	it("is its user's alone", async () => {
		await enableHook();
		await publishNotice();
		await waitUntil("it is delivered", async () => (await findDeliveries())[0]?.state === "delivered");
		for (const other of [t.admin, await t.user(`eve-${ada.username}`)]) {
			expect((await other.api.get(await getHookPath())).status).toBe(404);
			const seen = (await other.api.get(DELIVERIES)).body.results;
			expect(seen.filter(({ title }: { title: string }) => title === "A job has ended")).toEqual([]);
			expect((await other.api.del(await getHookPath())).status).toBe(404);
		}
		expect((await getHook()).enabled).toBe(true);
	});

	it("is removed with its secret, and what waits for it is not sent", async () => {
		receiver.answer = createStatusResponder(500);
		await enableHook();
		await publishNotice();
		await waitUntil("it was tried", async () => (await findDeliveries())[0]?.attempts === 1);
		const path = await getHookPath();
		expect((await ada.api.del(path)).status).toBe(204);
		expect((await ada.api.del(path)).status).toBe(404);
		expect(await findDeliveries()).toMatchObject([{ state: "cancelled", error: "The webhook was removed." }]);
		expect(await getHook()).toBeNull();
		await publishNotice();
		expect(await findDeliveries()).toHaveLength(1);
	});
});

describe("a test", () => {
	it("is sent at once, signed, and says how it went", async () => {
		await enableHook({ enabled: false });
		const good = await testHook();
		expect([good.status, good.body]).toEqual([
			200,
			{ success: true, message: "The receiver answered 204.", response_status: 204, latency_ms: expect.any(Number) },
		]);
		const [got] = receiver.received;
		expect(got?.body).toMatchObject({ type: "webhook_test", data: { username: ada.username } });
		expect(got && isSigned(got, SECRET)).toBe(true);
		receiver.answer = createStatusResponder(500);
		expect(await testHook()).toMatchObject({
			status: 400,
			body: { success: false, reason: "status", response_status: 500 },
		});
		expect(await findDeliveries()).toEqual([]);
	});

	it("needs a secret", async () => {
		await postHook({ enabled: false, secret: undefined });
		expect(await testHook()).toMatchObject({ status: 400, body: { success: false } });
	});

	it.each([
		["http://127.0.0.1:9/", "refused"],
		["http://no-such-host.invalid/", "dns"],
		["http://localhost:9/", "refused"],
	])("reports the reason of a failure: %s is %s", async (url, reason) => {
		await enableHook({ url });
		const { status: code, body } = await testHook();
		expect([code, body.success]).toEqual([400, false]);
		expect(body.reason).toBe(reason);
	});

	it("reports a receiver without TLS, and never the text that it wrote", async () => {
		await enableHook({ url: receiver.url.replace("http:", "https:") });
		expect((await testHook()).body.reason).toMatch(/^(tls|connection)$/);
		receiver.answer = (_request, response) =>
			void response.writeHead(403, { "x-secret": "inner" }).end("an inner secret");
		await enableHook();
		const { text } = await testHook();
		expect(text).toContain("403");
		expect(text).not.toContain("inner");
	});

	it("is throttled like other sensitive actions", async () => {
		const throttled = await startTestApp({
			inProcess: true,
			deps: { webhooks: hooks.sender },
			rates: { sensitive: { requests: 2, windowMs: HOUR } },
		});
		await postHook({ enabled: false, secret: undefined }, throttled.admin);
		const codes: number[] = [];
		for (let i = 0; i < 3; i++) codes.push((await testHook(throttled.admin)).status);
		await throttled.close();
		expect(codes).toEqual([400, 400, 429]);
	});
});

describe("the permission to send to an address", () => {
	it.each([
		"http://10.0.0.1/",
		"http://169.254.169.254/latest/meta-data/",
		"http://[::1]/",
		"http://[::ffff:7f00:2]/",
		"http://2130706434/",
		"http://0x7f.2/",
		"http://8.8.8.8/",
	])("is the administrator's decision: %s is refused at once", async (url) => {
		const { status: code, body } = await enableHook({ url });
		expect([code, Object.keys(body)]).toEqual([400, ["url"]]);
	});

	it("is decided by the address that a name leads to, whatever was decided before", async () => {
		const none = createWebhookSender({ public: true, networks: [] });
		await expect(
			none.send({
				url: receiver.url.replace("127.0.0.1", "localhost"),
				headers: {},
				body: "{}",
				signal: AbortSignal.timeout(5_000),
			}),
		).rejects.toMatchObject({ name: "WebhookError", reason: "address" });
		await none.close();
		expect(receiver.received).toEqual([]);
	});

	it("is no redirect's decision", async () => {
		receiver.answer = createStatusResponder(302, { location: receiver.url });
		await enableHook();
		const { body } = await testHook();
		expect(body).toMatchObject({
			success: false,
			response_status: 302,
			message: expect.stringContaining("Redirects are not followed"),
		});
		expect(receiver.received).toHaveLength(1);
	});

	it("is nothing where the settings say so", async () => {
		const off = await startTestApp({ inProcess: true });
		const { status: code, body } = await postHook({}, off.admin);
		expect([code, Object.keys(body)]).toEqual([400, ["enabled"]]);
		expect((await postHook({ enabled: false }, off.admin)).body).toMatchObject({ available: false });
		expect((await testHook(off.admin)).status).toBe(400);
		await off.close();
	});
});
