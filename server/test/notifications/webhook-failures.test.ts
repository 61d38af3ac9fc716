/** A receiver of webhooks that fails, and several workers that send to one. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type TestApp, type TestUser, waitUntil, waitUntilAfter } from "../support/harness.ts";
import { createTelling, type Telling } from "../support/telling.ts";
import { createStatusResponder, type Receiver } from "../support/webhook-receiver.ts";
import { useWebhooks } from "../support/webhooks.ts";

const hooks = useWebhooks();
const { getHook, changeHook, enableHook, testHook, publishNotice, findDeliveries } = hooks;
let t: TestApp;
let receiver: Receiver;
let telling: Telling;
let ada: TestUser;
beforeAll(() => {
	({ t, receiver, telling } = hooks);
});
beforeEach(() => {
	({ ada } = hooks);
});

const MINUTE = 60_000;

describe("a receiver that fails", () => {
	it("is tried again later and later, with the same id, until it takes it", async () => {
		receiver.answer = createStatusResponder(503);
		await enableHook();
		await publishNotice();
		await waitUntil("it was tried", async () => (await findDeliveries())[0]?.attempts === 1);
		const [pending] = await findDeliveries();
		expect(pending).toMatchObject({ state: "pending", response_status: 503, error: "The receiver answered 503." });
		expect(Date.parse(pending.next_attempt_at) - t.clock.now()).toBe(10_000);
		expect(await getHook()).toMatchObject({
			held_until: pending.next_attempt_at,
			last_error: "The receiver answered 503.",
		});
		await t.clock.advance(15_000);
		await waitUntil("it was tried again", async () => (await findDeliveries())[0]?.attempts === 2);
		receiver.answer = createStatusResponder(200);
		await t.clock.advance(40_000);
		await waitUntil("it is delivered", async () => (await findDeliveries())[0]?.state === "delivered");
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
		await waitUntil("it was tried", async () => (await findDeliveries())[0]?.attempts === 1);
		const [{ next_attempt_at }] = await findDeliveries();
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
			(await findDeliveries("?page_size=200")).filter(({ attempts }: { attempts: number }) => attempts > 0).length;
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
			async () => (await findDeliveries("?state=delivered&page_size=200")).length === 30,
		);
	});

	it("is given up after a day, and switched off after three days, of which its user is notified", async () => {
		receiver.answer = createStatusResponder(500);
		await enableHook();
		await publishNotice({ title: "Given up" });
		await waitUntil("it was tried", async () => (await findDeliveries())[0]?.attempts === 1);
		const ago = (interval: string) =>
			t.pool.query(
				`update notification_deliveries set created_at = created_at - interval '${interval}' where user_id = $1`,
				[ada.id],
			);
		await ago("1 day");
		await t.clock.advance(15_000);
		await waitUntil("it is given up", async () => (await findDeliveries())[0]?.state === "failed");
		// Nothing is sent before the pause is over; a delivery that is too old fails all the same.
		await publishNotice({ title: "Never tried" });
		await waitUntil(
			"it is put off",
			async () => (await findDeliveries())[0]?.next_attempt_at === (await getHook()).held_until,
		);
		await ago("1 day");
		await t.pool.query(
			"update notification_deliveries set look_at = created_at where user_id = $1 and state = 'pending'",
			[ada.id],
		);
		await t.clock.advance(5_000);
		await waitUntil("it is given up, too", async () => (await findDeliveries("?state=failed")).length === 2);
		expect((await getHook()).enabled).toBe(true);
		await t.pool.query("update webhooks set failing_since = failing_since - interval '3 days' where user_id = $1", [
			ada.id,
		]);
		await publishNotice({ title: "The last" });
		// A worker that takes it before the clock moves on puts it off again.
		await waitUntilAfter(t.clock, MINUTE, "it is switched off", async () => (await getHook()).enabled === false);
		const { results } = (await ada.api.get("/api/notifications/notifications/?category=system")).body;
		expect(results).toMatchObject([{ severity: "error", title: "Your webhook was switched off" }]);
		expect(await findDeliveries("?state=pending")).toEqual([]);
		receiver.answer = createStatusResponder(200);
		await changeHook({ enabled: true });
		expect(await getHook()).toMatchObject({ enabled: true, failing_since: null, last_error: "" });
		await publishNotice({ title: "Again" });
		await waitUntil("it works again", async () => (await findDeliveries())[0]?.state === "delivered");
	});

	it("is switched off at once when it says that it is gone", async () => {
		receiver.answer = createStatusResponder(410);
		await enableHook();
		await publishNotice();
		await waitUntil("it is switched off", async () => (await getHook()).enabled === false);
		expect(await findDeliveries()).toMatchObject([{ state: "failed", response_status: 410 }]);
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
		await waitUntil("it is delivered", async () => (await findDeliveries())[0]?.state === "delivered");
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
			async () => (await findDeliveries("?state=delivered&page_size=200")).length === 20,
		);
		expect((await ada.api.get("/api/notifications/notifications/")).body.count).toBe(20);
		expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(20);
		expect(await findDeliveries("?page_size=200")).toHaveLength(20);
		for (const { timers: one } of others) one.stop();
	});
});
