/**
 * Outgoing webhooks, to a real receiver: setting up, signatures, failures, what may be sent to, and
 * who sees what.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WebhookSender } from "../../src/integrations/webhooks/port.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { createTelling, type Telling } from "../support/telling.ts";
import { createStatusResponder, isSigned, type Receiver, startReceiver } from "../support/webhook-receiver.ts";

const HOOKS = "/api/notifications/webhooks/";
const DELIVERIES = "/api/notifications/deliveries/";
const SECRET = "a-secret-of-the-receiver";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let receiver: Receiver;
let webhooks: WebhookSender;
let t: TestApp;
let telling: Telling;
let timers: { stop(): void };
let ada: TestUser;
let names = 0;

beforeAll(async () => {
	receiver = await startReceiver();
	webhooks = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
	t = await startTestApp({ inProcess: true, deps: { webhooks } });
	telling = createTelling(t);
	timers = await telling.start();
});
afterAll(async () => {
	timers.stop();
	await t.close();
	await webhooks.close();
	await receiver.close();
});
beforeEach(async () => {
	receiver.answer = createStatusResponder(204);
	receiver.received.length = 0;
	ada = await t.user(`ada${++names}`);
});

/** The user's webhook; null before it is set up. */
const getHook = async (user = ada) => (await user.api.get(HOOKS)).body.results[0] ?? null;
const getHookPath = async (user = ada) => `${HOOKS}${(await getHook(user)).id}/`;
const addHook = (fields = {}, user = ada) =>
	user.api.post(HOOKS, { name: "Receiver", url: receiver.url, secret: SECRET, ...fields });
const changeHook = async (fields: object) => ada.api.patch(await getHookPath(), fields);
/** Sets the webhook up, or changes it. */
async function enableHook(fields = {}) {
	if ((await getHook()) === null) return addHook(fields);
	return changeHook({ enabled: true, url: receiver.url, secret: SECRET, ...fields });
}
const testHook = async (user = ada) => user.api.post(`${await getHookPath(user)}test/`);
const publishNotice = (notice = {}) => telling.tell(telling.noticeFor(ada.id, notice));
const listDeliveries = async (query = "") => (await ada.api.get(DELIVERIES + query)).body.results;

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
		await waitUntil("it is written down", async () => (await listDeliveries())[0]?.state === "delivered");
		expect(await listDeliveries()).toMatchObject([
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
		expect(await listDeliveries()).toHaveLength(1);
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
		await addHook({ enabled: false, secret: undefined });
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
		const bob = await t.user(`bob${names}`);
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
		await waitUntil("it is delivered", async () => (await listDeliveries())[0]?.state === "delivered");
		for (const other of [t.admin, await t.user(`eve${names}`)]) {
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
		await waitUntil("it was tried", async () => (await listDeliveries())[0]?.attempts === 1);
		const path = await getHookPath();
		expect((await ada.api.del(path)).status).toBe(204);
		expect((await ada.api.del(path)).status).toBe(404);
		expect(await listDeliveries()).toMatchObject([{ state: "cancelled", error: "The webhook was removed." }]);
		expect(await getHook()).toBeNull();
		await publishNotice();
		expect(await listDeliveries()).toHaveLength(1);
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
		expect(await listDeliveries()).toEqual([]);
	});

	it("needs a secret", async () => {
		await addHook({ enabled: false, secret: undefined });
		expect(await testHook()).toMatchObject({ status: 400, body: { success: false } });
	});

	it.each([
		["http://127.0.0.1:9/", "refused"],
		["http://no-such-host.invalid/", "dns"],
		["http://localhost:9/", "refused"],
	])("tells why not: %s is %s", async (url, reason) => {
		await enableHook({ url });
		const { status: code, body } = await testHook();
		expect([code, body.success]).toEqual([400, false]);
		expect(body.reason).toBe(reason);
	});

	it("tells that there is no TLS, and never what the receiver wrote", async () => {
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
			deps: { webhooks },
			rates: { sensitive: { requests: 2, windowMs: HOUR } },
		});
		await addHook({ enabled: false, secret: undefined }, throttled.admin);
		const codes: number[] = [];
		for (let i = 0; i < 3; i++) codes.push((await testHook(throttled.admin)).status);
		await throttled.close();
		expect(codes).toEqual([400, 400, 429]);
	});
});

describe("what may be sent to", () => {
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
		const { status: code, body } = await addHook({}, off.admin);
		expect([code, Object.keys(body)]).toEqual([400, ["enabled"]]);
		expect((await addHook({ enabled: false }, off.admin)).body).toMatchObject({ available: false });
		expect((await testHook(off.admin)).status).toBe(400);
		await off.close();
	});
});

describe("a receiver that fails", () => {
	it("is tried again later and later, with the same id, until it takes it", async () => {
		receiver.answer = createStatusResponder(503);
		await enableHook();
		await publishNotice();
		await waitUntil("it was tried", async () => (await listDeliveries())[0]?.attempts === 1);
		const [pending] = await listDeliveries();
		expect(pending).toMatchObject({ state: "pending", response_status: 503, error: "The receiver answered 503." });
		expect(Date.parse(pending.next_attempt_at) - t.clock.now()).toBe(10_000);
		expect(await getHook()).toMatchObject({
			held_until: pending.next_attempt_at,
			last_error: "The receiver answered 503.",
		});
		await t.clock.advance(15_000);
		await waitUntil("it was tried again", async () => (await listDeliveries())[0]?.attempts === 2);
		receiver.answer = createStatusResponder(200);
		await t.clock.advance(40_000);
		await waitUntil("it is delivered", async () => (await listDeliveries())[0]?.state === "delivered");
		expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
		expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
		expect(new Set(receiver.received.map(({ headers }) => headers["webhook-signature"])).size).toBe(3);
		expect(await getHook()).toMatchObject({ held_until: null, failing_since: null, last_error: "" });
	});

	it.each([
		[429, "120", 120_000],
		[503, "120", 120_000],
		[503, "5", 10_000],
		[429, "soon", 10_000],
		[429, "999999999", 86_400_000],
		[500, "120", 10_000],
	])("that answers %i with Retry-After %s is not tried again for %i ms", async (code, retryAfter, waitMs) => {
		receiver.answer = createStatusResponder(code, { "retry-after": retryAfter });
		await enableHook();
		await publishNotice();
		await waitUntil("it was tried", async () => (await listDeliveries())[0]?.attempts === 1);
		const [{ next_attempt_at }] = await listDeliveries();
		expect(Date.parse(next_attempt_at) - t.clock.now()).toBe(waitMs);
		expect((await getHook()).held_until).toBe(next_attempt_at);
		// The receiver of the other tests is the same.
		await changeHook({ enabled: false });
	});

	it("costs a request now and then, however much waits for it", async () => {
		receiver.answer = createStatusResponder(500);
		await enableHook();
		for (let i = 0; i < 30; i++) await publishNotice();
		const tried = async () =>
			(await listDeliveries("?page_size=200")).filter(({ attempts }: { attempts: number }) => attempts > 0).length;
		await waitUntil("all were looked at", async () => {
			const { rows } = await t.pool.query(
				"select 1 from pgboss.job where name = 'notifications.webhooks' and state in ('created', 'retry', 'active')",
			);
			return rows.length === 0;
		});
		// As many as are sent side by side may have failed before the first failure was known.
		expect(receiver.received.length).toBeLessThanOrEqual(4);
		expect(await tried()).toBe(receiver.received.length);
		receiver.answer = createStatusResponder(200);
		await t.clock.advance(MINUTE);
		await waitUntil(
			"all are delivered",
			async () => (await listDeliveries("?state=delivered&page_size=200")).length === 30,
		);
	});

	it("is given up after a day, and after three days switched off, of which its user is told", async () => {
		receiver.answer = createStatusResponder(500);
		await enableHook();
		await publishNotice({ title: "Given up" });
		await waitUntil("it was tried", async () => (await listDeliveries())[0]?.attempts === 1);
		const ago = (interval: string) =>
			t.pool.query(
				`update notification_deliveries set created_at = created_at - interval '${interval}' where user_id = $1`,
				[ada.id],
			);
		await ago("1 day");
		await t.clock.advance(15_000);
		await waitUntil("it is given up", async () => (await listDeliveries())[0]?.state === "failed");
		// Nothing is sent before the pause is over; a delivery that is too old fails all the same.
		await publishNotice({ title: "Never tried" });
		await waitUntil(
			"it is put off",
			async () => (await listDeliveries())[0]?.next_attempt_at === (await getHook()).held_until,
		);
		await ago("1 day");
		await t.pool.query(
			"update notification_deliveries set look_at = created_at where user_id = $1 and state = 'pending'",
			[ada.id],
		);
		await t.clock.advance(5_000);
		await waitUntil("it is given up, too", async () => (await listDeliveries("?state=failed")).length === 2);
		expect((await getHook()).enabled).toBe(true);
		await t.pool.query("update webhooks set failing_since = failing_since - interval '3 days' where user_id = $1", [
			ada.id,
		]);
		await publishNotice({ title: "The last" });
		await t.clock.advance(MINUTE);
		await waitUntil("it is switched off", async () => (await getHook()).enabled === false);
		const { results } = (await ada.api.get("/api/notifications/notifications/?category=system")).body;
		expect(results).toMatchObject([{ severity: "error", title: "Your webhook was switched off" }]);
		expect(await listDeliveries("?state=pending")).toEqual([]);
		receiver.answer = createStatusResponder(200);
		await changeHook({ enabled: true });
		expect(await getHook()).toMatchObject({ enabled: true, failing_since: null, last_error: "" });
		await publishNotice({ title: "Again" });
		await waitUntil("it works again", async () => (await listDeliveries())[0]?.state === "delivered");
	});

	it("is switched off at once when it says that it is gone", async () => {
		receiver.answer = createStatusResponder(410);
		await enableHook();
		await publishNotice();
		await waitUntil("it is switched off", async () => (await getHook()).enabled === false);
		expect(await listDeliveries()).toMatchObject([{ state: "failed", response_status: 410 }]);
	});

	it("whose answer never ends, or is too long, is no harm", async () => {
		receiver.answer = (_request, response) => {
			response.writeHead(200);
			response.write("x".repeat(100_000));
		};
		await enableHook();
		expect((await testHook()).status).toBe(200);
		receiver.answer = (_request, response) => void response.writeHead(200, { "x-long": "x".repeat(40_000) }).end();
		expect((await testHook()).body).toMatchObject({ success: false });
	});

	it("gets it again when its yes was not written down, with the same id", async () => {
		await enableHook();
		await publishNotice();
		await waitUntil("it is delivered", async () => (await listDeliveries())[0]?.state === "delivered");
		await t.pool.query("update notification_deliveries set state = 'pending', finished_at = null where user_id = $1", [
			ada.id,
		]);
		await t.clock.advance(11 * MINUTE);
		await waitUntil("it has come again", () => receiver.received.length === 2);
		expect(receiver.received[1]?.headers["webhook-id"]).toBe(receiver.received[0]?.headers["webhook-id"]);
	});
});

describe("several workers", () => {
	it("write one row and one delivery for each, and end each once", async () => {
		const others = await Promise.all(
			Array.from({ length: 2 }, async () => {
				const other = createTelling(t);
				return { other, timers: await other.start() };
			}),
		);
		await enableHook();
		const notices = Array.from({ length: 20 }, () => telling.noticeFor(ada.id));
		await Promise.all(
			[telling, ...others.map(({ other }) => other)].flatMap((one) => notices.map((notice) => one.tell(notice))),
		);
		await waitUntil(
			"all are delivered",
			async () => (await listDeliveries("?state=delivered&page_size=200")).length === 20,
		);
		expect((await ada.api.get("/api/notifications/notifications/")).body.count).toBe(20);
		expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(20);
		expect(await listDeliveries("?page_size=200")).toHaveLength(20);
		for (const { timers: one } of others) one.stop();
	});
});
