/**
 * Mail about notifications, through a real SMTP server of the test's own: wishes, quiet hours, the
 * daily one, tries again.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { type MailSink, startMailSink } from "../support/mail-sink.ts";
import { createTelling, type Telling } from "../support/telling.ts";

const PREFERENCES = "/api/notifications/preferences/";
const DELIVERIES = "/api/notifications/deliveries/";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let sink: MailSink;
let t: TestApp;
let telling: Telling;
let timers: { stop(): void };
let ada: TestUser;
let names = 0;

beforeAll(async () => {
	sink = await startMailSink();
	t = await startTestApp({ inProcess: true, deps: { mailer: sink.mailer, frontendUrl: "https://weft.example.com" } });
	telling = createTelling(t);
	timers = await telling.start();
});
afterAll(async () => {
	timers.stop();
	await t.close();
	await sink.close();
});
beforeEach(async () => {
	sink.answer = 250;
	sink.received.length = 0;
	ada = await t.user(`ada${++names}`);
	// A change by the interface would be notified.
	await t.pool.query("update users set email = $2 where id = $1", [ada.id, `ada${names}@example.com`]);
	expect((await ada.api.patch(PREFERENCES, { email_enabled: true })).status).toBe(200);
});

const publishNotice = (notice = {}) => telling.tell(telling.noticeFor(ada.id, notice));
const listDeliveries = async (query = "") => (await ada.api.get(DELIVERIES + query)).body.results;
const listStates = async () => (await listDeliveries()).map(({ state }: { state: string }) => state);
/** Moves the clock to the next time that it shows so in UTC. */
async function waitFor(time: string): Promise<void> {
	const day = new Date(t.clock.now()).toISOString().slice(0, 10);
	const next = Date.parse(`${day}T${time}Z`);
	await t.clock.advance((next > t.clock.now() ? next : next + 24 * HOUR) - t.clock.now());
}

describe("one mail for each", () => {
	it("goes to who wants mail, in their words and with a link", async () => {
		await publishNotice({ severity: "error", title: "Ünïcode failed", body: "Why it did.", link: "/api/x/?a=1" });
		await waitUntil("it has come", () => sink.received.length === 1);
		const [mail] = sink.received;
		const { results } = (await ada.api.get("/api/notifications/notifications/")).body;
		expect(mail).toMatchObject({ to: [`ada${names}@example.com`], messageId: `<notification.${results[0].id}@weft>` });
		expect(mail?.subject).toContain("=?UTF-8?");
		expect(mail?.body).toContain("Why it did.\r\n\r\nhttps://weft.example.com/open?link=%2Fapi%2Fx%2F%3Fa%3D1");
		expect(mail?.raw).toContain("Auto-Submitted: auto-generated");
		await waitUntil("it is delivered", async () => (await listStates())[0] === "delivered");
		expect(await listDeliveries()).toEqual([
			{
				id: expect.any(String),
				notification_id: results[0].id,
				category: "automation_execution",
				title: "Ünïcode failed",
				channel: "email",
				webhook_id: null,
				state: "delivered",
				attempts: 1,
				next_attempt_at: null,
				response_status: null,
				error: "",
				created_at: expect.any(String),
				finished_at: expect.any(String),
			},
		]);
	});

	it("goes not to who has switched it off, for all or for a category, nor without an address, nor to the inactive", async () => {
		await ada.api.patch(PREFERENCES, { categories: { system: { email: false } } });
		await publishNotice({ category: "system" });
		await ada.api.patch(PREFERENCES, { email_enabled: false });
		await publishNotice();
		await ada.api.patch(PREFERENCES, { email_enabled: true });
		await ada.api.patch("/api/auth/profile/", { email: "" });
		await publishNotice();
		await t.pool.query("update users set is_active = false, email = $2 where id = $1", [ada.id, "a@example.com"]);
		await publishNotice();
		const { rows } = await t.pool.query("select 1 from notification_deliveries where user_id = $1", [ada.id]);
		expect(rows).toEqual([]);
	});

	it("is wanted without the list, too", async () => {
		await ada.api.patch(PREFERENCES, { in_app_enabled: false });
		await publishNotice({ title: "Only by mail" });
		await waitUntil("it has come", () => sink.received.length === 1);
		expect((await ada.api.get("/api/notifications/notifications/")).body.count).toBe(0);
	});

	it("is one line in its head whatever the title is", async () => {
		await publishNotice({ title: "Hello\r\nBcc: eve@example.com\r\n\r\nInjected" });
		await waitUntil("it has come", () => sink.received.length === 1);
		expect(sink.received[0]?.subject).toBe("Hello Bcc: eve@example.com Injected");
		expect(sink.received[0]?.to).toHaveLength(1);
		expect(sink.received[0]?.raw).not.toMatch(/^Bcc:/im);
	});
});

describe("quiet hours", () => {
	it("hold mail back until they end by the user's clock, and the list does not wait", async () => {
		await ada.api.patch("/api/auth/preferences/", { timezone: "America/New_York" });
		await ada.api.patch(PREFERENCES, { quiet_hours_start: "22:00", quiet_hours_end: "06:30" });
		await waitFor("04:00:00");
		await publishNotice({ title: "At eleven at night" });
		expect((await ada.api.get("/api/notifications/notifications/")).body.count).toBe(1);
		const [delivery] = await listDeliveries();
		expect(delivery).toMatchObject({
			state: "pending",
			attempts: 0,
			next_attempt_at: expect.stringMatching(/T11:30:00.000Z$/),
		});
		await waitFor("11:29:55");
		expect(sink.received).toEqual([]);
		await t.clock.advance(10_000);
		await waitUntil("it has come", () => sink.received.length === 1);
	});

	it("hold back mail that was late for them, and mail that is not wanted any more is not sent", async () => {
		sink.answer = 451;
		await waitFor("20:00:00");
		await publishNotice();
		await publishNotice({ category: "system" });
		await waitUntil("both were tried", async () =>
			(await listDeliveries()).every((one: { attempts: number }) => one.attempts === 1),
		);
		sink.answer = 250;
		await ada.api.patch(PREFERENCES, {
			quiet_hours_start: "19:00",
			quiet_hours_end: "21:00",
			categories: { system: { email: false } },
		});
		await t.clock.advance(MINUTE);
		await waitUntil("one is cancelled", async () => (await listStates()).includes("cancelled"));
		await waitUntil("one is put off", async () =>
			(await listDeliveries("?state=pending"))[0]?.next_attempt_at.endsWith("T21:00:00.000Z"),
		);
		expect(sink.received).toEqual([]);
		await waitFor("21:00:05");
		await waitUntil("it has come", () => sink.received.length === 1);
		expect(await listStates()).toContain("cancelled");
	});
});

describe("the daily mail", () => {
	it("has all of a day in one, at eight by the user's clock", async () => {
		await ada.api.patch("/api/auth/preferences/", { timezone: "Asia/Kolkata" });
		await ada.api.patch(PREFERENCES, { digest_enabled: true });
		await waitFor("12:00:00");
		await publishNotice({ severity: "warning", title: "First", body: "Line one\nLine two", link: "/api/a/" });
		await t.clock.advance(HOUR);
		await publishNotice({ title: "Second" });
		expect(await listDeliveries("?channel=digest")).toHaveLength(2);
		await waitFor("02:29:55");
		expect(sink.received).toEqual([]);
		await t.clock.advance(10_000);
		await waitUntil("it has come", () => sink.received.length === 1);
		const [mail] = sink.received;
		expect(mail?.subject).toBe("Weft: 2 notifications");
		expect(mail?.messageId).toMatch(/^<digest\.[0-9a-f-]{36}@weft>$/);
		expect(mail?.body).toMatch(
			/17:30 {2}Warning: First\r\n {4}Line one\r\n {4}Line two\r\n {4}https:\/\/weft.example.com\/open\?link=%2Fapi%2Fa%2F/,
		);
		expect(mail?.body).toMatch(/18:30 {2}Second/);
		await waitUntil("both are delivered", async () => (await listStates()).join() === "delivered,delivered");
	});

	it("is one a day: what was late for it goes into the next", async () => {
		await ada.api.patch(PREFERENCES, { digest_enabled: true });
		await waitFor("07:59:00");
		await publishNotice({ title: "In time" });
		await waitFor("08:00:05");
		await waitUntil("it has come", () => sink.received.length === 1);
		await publishNotice({ title: "Late" });
		// As by a transaction that began before eight and committed after.
		await t.pool.query(
			"update notification_deliveries set due_at = due_at - interval '1 day', look_at = look_at - " +
				"interval '1 day' where user_id = $1 and state = 'pending'",
			[ada.id],
		);
		await t.clock.advance(MINUTE);
		await waitUntil("it is put off", async () => {
			const [late] = await listDeliveries("?state=pending");
			return Date.parse(late.next_attempt_at) > t.clock.now() + 20 * HOUR;
		});
		expect(sink.received).toHaveLength(1);
		await waitFor("08:00:05");
		await waitUntil("it has come", () => sink.received.length === 2);
		expect(sink.received[1]?.body).toContain("Late");
	});

	it("put together by several processes at once is one", async () => {
		await ada.api.patch(PREFERENCES, { digest_enabled: true });
		for (let i = 0; i < 5; i++) await publishNotice({ title: `Number ${i}` });
		timers.stop();
		await waitFor("08:00:05");
		const others = Array.from({ length: 4 }, () => createTelling(t).work());
		await waitUntil("it has come", () => sink.received.length === 1);
		await waitUntil("all are delivered", async () =>
			(await listStates()).every((state: string) => state === "delivered"),
		);
		expect(sink.received).toHaveLength(1);
		expect(sink.received[0]?.subject).toBe("Weft: 5 notifications");
		for (const other of others) other.stop();
		timers = telling.work();
	});
});

describe("a mail server that fails", () => {
	it("is tried again later and later under the same message id, and what it refuses is given up", async () => {
		sink.answer = 451;
		await publishNotice({ title: "Patience" });
		await waitUntil("it was tried", async () => (await listDeliveries())[0]?.attempts === 1);
		expect(await listDeliveries()).toMatchObject([{ state: "pending", error: "The mail server did not take it." }]);
		await t.clock.advance(5_000);
		expect((await listDeliveries())[0].attempts).toBe(1);
		await t.clock.advance(10_000);
		await waitUntil("it was tried again", async () => (await listDeliveries())[0]?.attempts === 2);
		sink.answer = 250;
		await t.clock.advance(MINUTE);
		await waitUntil("it has come", () => sink.received.length === 1);
		sink.answer = 550;
		await publishNotice({ title: "No" });
		await waitUntil("it is given up", async () => (await listStates())[0] === "failed");
		const before = sink.tries();
		await t.clock.advance(HOUR);
		expect(sink.tries()).toBe(before);
	});

	it("whose background job is lost loses nothing", async () => {
		await publishNotice({ title: "Lost" });
		await waitUntil("it has come", () => sink.received.length === 1);
		await waitUntil("it is delivered", async () => (await listStates())[0] === "delivered");
		// As if the process had ended between the mail server's yes and its being written down, and the
		// job with it.
		await t.pool.query("update notification_deliveries set state = 'pending', finished_at = null where user_id = $1", [
			ada.id,
		]);
		await t.clock.advance(11 * MINUTE);
		await waitUntil("it has come again", () => sink.received.length === 2);
		expect(sink.received[1]?.messageId).toBe(sink.received[0]?.messageId);
	});
});

describe("the list of deliveries", () => {
	it("is the caller's own, filtered and paged, and forgotten after 30 days", async () => {
		await publishNotice();
		await waitUntil("it is delivered", async () => (await listStates())[0] === "delivered");
		const bob = await t.user(`bob${names}`);
		expect((await bob.api.get(DELIVERIES)).body.count).toBe(0);
		expect(await listDeliveries("?channel=webhook")).toEqual([]);
		expect(await listDeliveries("?state=delivered&page_size=1")).toHaveLength(1);
		expect((await ada.api.get(`${DELIVERIES}?state=lost`)).status).toBe(400);
		await t.pool.query(
			"update notification_deliveries set finished_at = finished_at - interval '31 days' where user_id = $1",
			[ada.id],
		);
		await t.clock.advance(HOUR);
		await waitUntil("it is forgotten", async () => (await listDeliveries()).length === 0);
	});
});
