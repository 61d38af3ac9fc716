/** Alerts that a change window holds: one summary of them, within the message about the verdict. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { buildClassNode, connectNodes, output } from "../support/canvases.ts";
import { type TestUser, waitUntil, waitUntilAfter } from "../support/harness.ts";
import { addQuery } from "../support/tasks.ts";
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts";
import { type Notice, useWindows } from "../support/windows.ts";

const webhooks = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
let receiver: Receiver;
beforeAll(async () => {
	receiver = await startReceiver();
});
afterAll(async () => {
	await webhooks.close();
	await receiver.close();
});
const windows = useWindows({ size: "small" }, { webhooks });
const { window, open, judge, move, reach, writeDomain } = windows;

/** Adds a check that fails on every run, with a query of the user's own. */
async function addFailing(user: TestUser, name: string, fields: object = {}): Promise<string> {
	const flow_data = connectNodes(buildClassNode("fvTenant"), output);
	const saved_query = await addQuery(user.api, { flow_data, enable_time_machine: true });
	const { status, body, text } = await user.api.post("/api/checks/", {
		name,
		saved_query,
		type: "no_rows",
		controller_connection_ids: [windows.connection],
		...fields,
	});
	expect(status, text).toBe(201);
	return body.id;
}

/** Evaluates a check and waits until it fails. */
async function evaluateCheck(user: TestUser, id: string): Promise<void> {
	const started = await user.api.post(`/api/checks/${id}/evaluate/`, {});
	expect(started.status, started.text).toBe(202);
	await waitUntil("the check fails", async () => (await user.api.get(`/api/checks/${id}/`)).body.state === "failing");
}

/** The notifications of a user that contain a text. */
async function listNotices({ api }: Pick<TestUser, "api">, text: string): Promise<Notice[]> {
	const { body } = await api.get("/api/notifications/notifications/?page_size=200");
	return body.results.filter(({ title, body }: Notice) => title.includes(text) || body.includes(text));
}

/** Advances the clock beyond every timer that sends held alerts. */
async function waitForTimers(): Promise<void> {
	for (let i = 0; i < 6; i++) await windows.t.clock.advance(10_000);
}

describe("alerts that a change window holds", () => {
	it("sends held alerts in one message with the verdict, to the requester, the approver and their recipients", async () => {
		const bob = await windows.t.user("bob-of-alerts", ["Editor"]);
		const { id } = await window({ title: "Held one", requires_approval: true });
		await move(id, "approve", {}, windows.kim.api);
		await open(id);
		const own = await addFailing(windows.ada, "Ada's own check");
		const secret = await addFailing(bob, "Bob's private check", { severity: "critical" });
		await evaluateCheck(windows.ada, own);
		await evaluateCheck(bob, secret);
		await writeDomain("held-one");
		expect(await listNotices(windows.ada, "Ada's own check")).toEqual([]);
		const judged = await judge(id);
		expect(judged.verdict).toBe("failed");

		const link = `/change-windows/${id}`;
		const [asked, ...twice] = await listNotices(windows.ada, "Held one");
		expect(twice).toEqual([]);
		expect(asked).toMatchObject({
			title: 'The change window "Held one": failed',
			severity: "error",
			category: "time_machine",
			link,
		});
		expect(asked?.body.split("\n")).toEqual([
			expect.stringContaining("undeclared: uni/tn-window-test/BD-held-one"),
			"Held alerts: 2 checks are failing.",
			expect.stringMatching(/^Check "Ada's own check" is failing on/),
		]);
		const [approved, ...more] = (await listNotices(windows.kim, "Held one")).filter(
			({ title }) => title === asked?.title,
		);
		expect(more).toEqual([]);
		expect(approved?.body).toContain("Held alerts: 2 checks are failing.");
		const [told, ...others] = await listNotices(bob, "Held one");
		expect(others).toEqual([]);
		expect(told).toMatchObject({ title: 'The change window "Held one": failed', severity: "error", link });
		expect(told?.body).toContain('Held alerts: 1 check is failing.\nCheck "Bob\'s private check" is failing on');
		expect(told?.body).not.toContain("Ada's own check");

		await waitForTimers();
		for (const user of [windows.ada, windows.kim, bob]) {
			expect(await listNotices(user, "is over")).toEqual([]);
			expect((await listNotices(user, "Held one")).filter(({ link: own }) => own === link)).toHaveLength(
				user === windows.kim ? 2 : 1,
			);
		}
		for (const [user, check] of [
			[windows.ada, own],
			[bob, secret],
		] as const)
			await user.api.del(`/api/checks/${check}/`);
	});

	it("reach each webhook once, whatever categories it takes", async () => {
		const { id } = await window({ title: "Held by hooks" });
		await open(id);
		const check = await addFailing(windows.ada, "Check of the hooks");
		const hooks = [
			["shared", windows.kim, { is_shared: true, categories: ["time_machine", "scheduled_task"] }],
			["both", windows.ada, { categories: ["time_machine", "scheduled_task"] }],
			["alerts", windows.ada, { categories: ["scheduled_task"] }],
			["verdicts", windows.ada, { categories: ["time_machine"] }],
		] as const;
		const made: string[] = [];
		for (const [name, user, fields] of hooks) {
			const hook = { name, url: `${receiver.url}/${name}`, secret: "a-secret-of-the-receiver", ...fields };
			const { status, body, text } = await user.api.post("/api/notifications/webhooks/", hook);
			expect(status, text).toBe(201);
			made.push(body.id);
		}
		await evaluateCheck(windows.ada, check);
		await judge(id);
		const listReceived = () =>
			receiver.received.filter(({ text }) => text.includes("Held by hooks") || text.includes("Check of the hooks"));
		await waitUntilAfter(windows.t.clock, 10_000, "each webhook is called", async () => listReceived().length >= 4);
		await waitForTimers();
		const paths = listReceived().map(({ path }) => path.split("/").at(-1));
		expect(paths.sort()).toEqual(["alerts", "both", "shared", "verdicts"]);
		for (const { text } of listReceived()) expect(text).toContain("Held alerts: 1 check is failing.");
		for (const [index, hook] of made.entries()) await hooks[index]?.[1].api.del(`/api/notifications/webhooks/${hook}/`);
		await windows.ada.api.del(`/api/checks/${check}/`);
	});

	it("sends held alerts in a message of their own if the window is cancelled", async () => {
		const { id } = await window({ title: "Held two" });
		await open(id);
		const check = await addFailing(windows.ada, "Check of a cancelled window");
		await evaluateCheck(windows.ada, check);
		expect((await move(id, "cancel")).status).toBe(200);
		const [notice] = await waitUntilAfter(windows.t.clock, 10_000, "the alert is sent", async () => {
			const found = await listNotices(windows.ada, "Check of a cancelled window");
			return found.length > 0 ? found : null;
		});
		expect(notice).toMatchObject({ title: 'Change window "Held two" is over: 1 check is failing' });
		await windows.ada.api.del(`/api/checks/${check}/`);
	});

	it("leave no trace in the message where there are none", async () => {
		const { id } = await window({ title: "Held three" });
		await open(id);
		await judge(id);
		await reach(id, "judged");
		const [notice] = await listNotices(windows.ada, "Held three");
		expect(notice).toMatchObject({ severity: "info", body: "" });
	});
});
