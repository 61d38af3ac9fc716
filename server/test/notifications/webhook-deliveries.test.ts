/** The deliveries of several webhooks: each for itself, sent again, and read by their owners. */
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

describe("a notification", () => {
	it("reaches each webhook that wants its category, each in its format, with the same id", async () => {
		await addHook({ url: getUrl("/json") });
		const slack = await addHook({ url: getUrl("/slack"), format: "slack", secret: undefined });
		await addHook({ url: getUrl("/teams"), format: "teams", secret: undefined });
		await addHook({ url: getUrl("/system"), categories: ["system"] });
		await addHook({ url: getUrl("/off"), enabled: false });
		await publishNotice({ title: "A <b> & c_d", severity: "error" });
		await waitUntil("all have come", () => receiver.received.length === 3);
		const of = (path: string) => receiver.received.find((one) => one.path === path);
		expect(listPaths()).toEqual(["/json", "/slack", "/teams"]);
		expect(of("/json")?.body.data.title).toBe("A <b> & c_d");
		expect(isSigned(of("/json") as never, SECRET)).toBe(true);
		expect(of("/slack")?.body).toMatchObject({ text: "Error: A &lt;b&gt; &amp; c_d", mrkdwn: false });
		expect(of("/slack")?.headers["webhook-signature"]).toBeUndefined();
		expect(of("/teams")?.body.attachments[0].content.body[0].text).toBe("Error: A \\<b\\> \\& c\\_d");
		await waitUntil("all are written down", async () => (await findDeliveries("?state=delivered")).length === 3);
		expect(await findDeliveries(`?webhook=${slack.id}`)).toMatchObject([{ channel: "webhook", state: "delivered" }]);
	});

	it("waits for one that fails, and not for the others", async () => {
		receiver.answer = (request, response) =>
			createStatusResponder(request.url === "/bad" ? 500 : 204)(request, response);
		const bad = await addHook({ url: getUrl("/bad") });
		const good = await addHook({ url: getUrl("/good"), format: "slack" });
		await publishNotice();
		await waitUntil("one is delivered", async () => (await findDeliveries("?state=delivered")).length === 1);
		await waitUntil("the other failed", async () => (await findDeliveries(`?webhook=${bad.id}`))[0]?.attempts === 1);
		await publishNotice();
		await waitUntil(
			"the good one has both",
			async () => (await findDeliveries(`?webhook=${good.id}&state=delivered`)).length === 2,
		);
		expect(await listHooks()).toMatchObject([
			{ last_error: "The receiver answered 500.", held_until: expect.any(String) },
			{ last_error: "", held_until: null },
		]);
		await ada.api.del(`${HOOKS}${bad.id}/`);
		expect((await findDeliveries("?state=cancelled")).map(({ error }: { error: string }) => error)).toEqual(
			Array(2).fill("The webhook was removed."),
		);
	});

	it("of a webhook that is gone says to its user which one was switched off", async () => {
		receiver.answer = (request, response) =>
			createStatusResponder(request.url === "/bad" ? 410 : 204)(request, response);
		const bad = await addHook({ url: getUrl("/bad"), name: "Old chat", categories: ["automation_execution"] });
		await addHook({ url: getUrl("/good") });
		await publishNotice();
		await waitUntil("it is switched off", async () => (await listHooks())[0].enabled === false);
		const { results } = (await ada.api.get("/api/notifications/notifications/?category=system")).body;
		expect(results).toMatchObject([
			{
				title: "Your webhook was switched off",
				body: expect.stringContaining('"Old chat"'),
				link: `${HOOKS}${bad.id}/`,
			},
		]);
		expect((await listHooks())[1].enabled).toBe(true);
	});
});

describe("the deliveries of a webhook", () => {
	const listDeliveries = (id: string, user = ada) => user.api.get(`${HOOKS}${id}/deliveries/`);
	const resend = (id: string, delivery: string, user = ada) =>
		user.api.post(`${HOOKS}${id}/deliveries/${delivery}/resend/`);
	const failOnce = async (user: TestUser, fields = {}) => {
		receiver.answer = createStatusResponder(500);
		const { id } = await addHook(fields, user);
		await publishNotice({ title: "The wire is cut" });
		await waitUntil("it failed", async () => (await listDeliveries(id, user)).body.results[0]?.attempts === 1);
		receiver.answer = createStatusResponder(204);
		return { id, first: (await listDeliveries(id, user)).body.results[0] };
	};

	it.each(["personal", "shared"])(
		"the deliveries of a %s webhook show reason and next try, and can be sent again",
		async (kind) => {
			const user = kind === "shared" ? boss : ada;
			const { id, first } = await failOnce(user, { is_shared: kind === "shared" });
			expect((await listDeliveries(id, user)).body.count).toBe(1);
			expect(first).toMatchObject({
				webhook_id: id,
				state: "pending",
				error: "The receiver answered 500.",
				response_status: 500,
				next_attempt_at: new Date(t.clock.now() + 10_000).toISOString(),
			});
			receiver.received.length = 0;
			const again = await resend(id, first.id, user);
			expect([again.status, again.body]).toMatchObject([202, { id: first.id, state: "pending" }]);
			await waitUntil(
				"it is delivered",
				async () => (await listDeliveries(id, user)).body.results[0].state === "delivered",
			);
			expect(receiver.received.map(({ body }) => body.data.title)).toEqual(["The wire is cut"]);
			const entries = await findAudit(t, id);
			expect(entries.map(({ action }) => action)).toContain("webhook_resend");
		},
	);

	it.each([
		(_: string, delivery: string) => `${DELIVERIES}${delivery}/resend/`,
		(_: string, delivery: string) => `${HOOKS}deliveries/${delivery}/resend/`,
		(id: string, delivery: string) => `${HOOKS}${id}/deliveries/${delivery}/resend/`,
	])("that ended are sent again as a delivery of their own, by each address (%#)", async (buildPath) => {
		const { id } = await addHook({ is_shared: true }, boss);
		await publishNotice();
		await waitUntil(
			"it is delivered",
			async () => (await listDeliveries(id, boss)).body.results[0]?.state === "delivered",
		);
		const [first] = (await listDeliveries(id, boss)).body.results;
		await t.clock.advance(1_000);
		const again = await boss.api.post(buildPath(id, first.id));
		expect([again.status, again.body.notification_id]).toEqual([202, first.notification_id]);
		expect(again.body.id).not.toBe(first.id);
		await waitUntil("both are delivered", async () => {
			const { results } = (await listDeliveries(id, boss)).body;
			return results.length === 2 && results.every(({ state }: { state: string }) => state === "delivered");
		});
		const [one, two] = receiver.received;
		expect(two?.headers["webhook-id"]).toBe(one?.headers["webhook-id"]);
	});

	it("one delivery waits, however often it is sent again at the same time", async () => {
		const { id, first } = await failOnce(ada);
		await ada.api.patch(`${HOOKS}${id}/`, { url: getUrl("/elsewhere") });
		expect((await listDeliveries(id)).body.results).toMatchObject([{ state: "cancelled" }]);
		let release = () => {};
		const isReleased = new Promise<void>((resolve) => {
			release = resolve;
		});
		receiver.answer = async (_request, response) => {
			await isReleased;
			response.writeHead(204).end();
		};
		const answers = await Promise.all(Array.from({ length: 4 }, () => resend(id, first.id)));
		expect(answers.map((answer) => answer.status)).toEqual([202, 202, 202, 202]);
		release();
		await waitUntil("it is delivered", async () => (await listDeliveries(id)).body.results[0].state === "delivered");
		expect((await listDeliveries(id)).body.count).toBe(2);
		expect(receiver.received.filter(({ path }) => path === "/elsewhere")).toHaveLength(1);
	});

	it("refuses to send again a mail, and a delivery to a webhook that is off or without the category", async () => {
		const { id, first } = await failOnce(ada);
		await ada.api.patch(`${HOOKS}${id}/`, { categories: ["system"] });
		const unwanted = await resend(id, first.id);
		expect([unwanted.status, unwanted.body.detail]).toEqual([400, expect.stringContaining("automation_execution")]);
		await ada.api.patch(`${HOOKS}${id}/`, { enabled: false });
		const off = await resend(id, first.id);
		expect([off.status, off.body.detail]).toEqual([400, expect.stringContaining("Enable it")]);
		const mail = NOTHING.replace("0000", "0001");
		await t.pool.query(
			`insert into notification_deliveries
				(id, notification_id, user_id, channel, state, due_at, look_at, created_at, finished_at)
			select $1, notification_id, user_id, 'email', 'failed', now(), now(), now(), now()
			from notification_deliveries where id = $2`,
			[mail, first.id],
		);
		const mailed = await ada.api.post(`${DELIVERIES}${mail}/resend/`);
		expect([mailed.status, mailed.body.detail]).toEqual([400, expect.stringContaining("webhook")]);
	});

	it("only the owner reads the deliveries of a webhook, or administrators if it is shared", async () => {
		const own = await failOnce(ada);
		const shared = await failOnce(boss, { is_shared: true });
		const eve = await t.user(`eve-${ada.username}`);
		for (const [user, { id, first }] of [
			[eve, own],
			[boss, own],
			[ada, shared],
			[eve, shared],
		] as const) {
			expect((await listDeliveries(id, user)).status).toBe(404);
			expect((await resend(id, first.id, user)).status).toBe(404);
			expect((await user.api.post(`${DELIVERIES}${first.id}/resend/`)).status).toBe(404);
		}
		expect((await resend(own.id, shared.first.id)).status).toBe(404);
		expect((await resend(shared.id, own.first.id, boss)).status).toBe(404);
		expect((await resend(own.id, NOTHING)).status).toBe(404);
	});
});
