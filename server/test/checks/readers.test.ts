/** Each reader of a check is notified of a problem once and of its end once. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebhookSender } from "../../src/integrations/webhooks/port.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { addConnection, QUERIES } from "../support/canvases.ts";
import { CHECKS, getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser, waitUntilAfter } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts";

const HOUR = 3_600_000;

let t: TestApp;
let lab: RunningController;
let receiver: Receiver;
let webhooks: WebhookSender;
let ada: TestUser;
let boss: TestUser;
let connection: string;
let checks: ReturnType<typeof getChecks>;
let names = 0;

beforeAll(async () => {
	lab = await startController({ size: "small" });
	receiver = await startReceiver();
	webhooks = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver(), webhooks } });
	ada = await t.user("ada", ["Editor"]);
	boss = await t.user("boss", ["Admin"]);
	checks = getChecks(ada.api, () => t);
	connection = await addConnection(ada.api, lab, { name: "fab-dc1" });
});
afterAll(async () => {
	await t.close();
	await webhooks.close();
	await receiver.close();
	await lab.close();
});

/** A check that fails on every run. */
async function addFailing(fields: object = {}) {
	const query = await checks.query();
	const check = await checks.add({ saved_query: query, type: "no_rows", name: `Readers ${++names}`, ...fields });
	return { query, check, path: `${CHECKS}${check.id}/`, name: check.name as string };
}
type Failing = Awaited<ReturnType<typeof addFailing>>;
const listTitles = async ({ name }: Failing) =>
	(await checks.notices()).map(({ title }) => title).filter((title) => title.includes(`"${name}"`));
const getFailingTitle = ({ name }: Failing) => `Check "${name}" is failing on fab-dc1`;
const getRecoveredTitle = ({ name }: Failing) => `Check "${name}" is ok again on fab-dc1`;
const getClosedTitle = ({ name }: Failing) => `Check "${name}" is closed on fab-dc1`;
const muteCheck = ({ path }: Failing, ms: number) =>
	ada.api.post(`${path}mute/`, { until: new Date(t.clock.now() + ms).toISOString() });
/** Makes the query find nothing. */
const emptyQuery = ({ query }: Failing) =>
	ada.api.patch(`${QUERIES}${query}/`, {
		flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "vnsAbsGraph" } }], edges: [] },
	});
const waitForTitles = (one: Failing, expected: readonly string[]) =>
	waitUntilAfter(t.clock, 10_000, `notifications ${expected}`, async () => {
		const sent = await listTitles(one);
		return sent.length >= expected.length ? sent : null;
	});

describe("the owner of a check", () => {
	it("hears at the end of a mute of a problem that began in it", async () => {
		const one = await addFailing();
		await muteCheck(one, HOUR);
		await checks.run(one.query, connection);
		await t.clock.advance(HOUR / 2);
		expect(await listTitles(one)).toEqual([]);
		await t.clock.advance(HOUR / 2);
		expect(await waitForTitles(one, [getFailingTitle(one)])).toEqual([getFailingTitle(one)]);
		await checks.run(one.query, connection);
		expect(await listTitles(one)).toEqual([getFailingTitle(one)]);
		await emptyQuery(one);
		await checks.run(one.query, connection);
		expect(await listTitles(one)).toEqual([getFailingTitle(one), getRecoveredTitle(one)]);
	});

	it("hears nothing of a problem that a mute covers, and at its end of the end of an earlier one", async () => {
		const [short, long] = [await addFailing(), await addFailing()];
		await checks.run(long.query, connection);
		for (const one of [short, long]) {
			await muteCheck(one, HOUR);
			if (one === short) await checks.run(one.query, connection);
			await emptyQuery(one);
			await checks.run(one.query, connection);
		}
		expect([await listTitles(short), await listTitles(long)]).toEqual([[], [getFailingTitle(long)]]);
		await t.clock.advance(HOUR);
		expect(await waitForTitles(long, [getFailingTitle(long), getRecoveredTitle(long)])).toEqual([
			getFailingTitle(long),
			getRecoveredTitle(long),
		]);
		expect(await listTitles(short)).toEqual([]);
	});

	it("hears once that a failing check was deactivated, changed, moved or deleted", async () => {
		const other = await addConnection(ada.api, lab, { name: `other-${++names}` });
		for (const change of [
			{ is_active: false },
			{ type: "row_count", config: { operator: "gt", value: 0 } },
			{ controller_connection_ids: [other] },
			null,
		]) {
			const one = await addFailing();
			await checks.run(one.query, connection);
			const { status } = change === null ? await ada.api.del(one.path) : await ada.api.patch(one.path, change);
			expect(status).toBe(change === null ? 204 : 200);
			expect(await listTitles(one)).toEqual([getFailingTitle(one), getClosedTitle(one)]);
		}
	});

	it("hears once that the query or the connection of a failing check was deleted", async () => {
		const moved = await addConnection(ada.api, lab, { name: "fab-dc2" });
		const [ofQuery, ofConnection] = [await addFailing(), await addFailing()];
		await checks.run(ofQuery.query, connection);
		await checks.run(ofConnection.query, moved);
		expect((await ada.api.del(`${QUERIES}${ofQuery.query}/`)).status).toBe(204);
		expect((await ada.api.del(`/api/controller/connections/${moved}/`)).status).toBe(204);
		const ends = [getFailingTitle(ofQuery), getClosedTitle(ofQuery)];
		expect(await waitForTitles(ofQuery, ends)).toEqual(ends);
		const onOther = [getFailingTitle(ofConnection), getClosedTitle(ofConnection)].map((title) =>
			title.replace("dc1", "dc2"),
		);
		expect(await waitForTitles(ofConnection, onOther)).toEqual(onOther);
	});
});

describe("a webhook", () => {
	const received = (one: Failing) =>
		receiver.received.map(({ body }) => body.data?.title ?? body.title).filter((title) => title?.includes(one.name));
	const findFacts = (one: Failing) =>
		receiver.received.flatMap(({ body: { data } }) =>
			data?.title?.includes(one.name) ? [{ event: data.event, actor: data.actor, objects: data.objects }] : [],
		);
	const add = async (user: TestUser, fields: object = {}) => {
		const { status, text, body } = await user.api.post("/api/notifications/webhooks/", {
			name: `Hook ${++names}`,
			url: receiver.url,
			secret: "a-secret-of-the-receiver",
			...fields,
		});
		expect(status, text).toBe(201);
		return body.id;
	};
	const untilReceived = (one: Failing, count: number) =>
		waitUntilAfter(t.clock, 10_000, `${count} deliveries`, async () =>
			received(one).length >= count ? received(one) : null,
		);

	it.each([
		["a user", () => ada, {}],
		["all", () => boss, { is_shared: true }],
	] as const)(
		"of %s that is added after a problem hears of it once, and of its end once",
		async (_of, user, fields) => {
			const one = await addFailing();
			await checks.run(one.query, connection);
			const id = await add(user(), fields);
			expect(await untilReceived(one, 1)).toEqual([getFailingTitle(one)]);
			await checks.run(one.query, connection);
			await emptyQuery(one);
			await checks.run(one.query, connection);
			expect(await untilReceived(one, 2)).toEqual([getFailingTitle(one), getRecoveredTitle(one)]);
			expect(await listTitles(one)).toEqual([getFailingTitle(one), getRecoveredTitle(one)]);
			const tenant = expect.objectContaining({ kind: "managed_object", id: expect.stringMatching(/^uni\/tn-/) });
			const check = { kind: "check", id: one.check.id, name: one.name, connection: expect.any(String) };
			expect(findFacts(one)).toEqual([
				{
					event: "check_changed",
					actor: null,
					objects: [{ ...check, before: "ok", after: "failing" }, tenant, tenant, tenant],
				},
				{ event: "check_changed", actor: null, objects: [{ ...check, before: "failing", after: "ok" }] },
			]);
			await user().api.del(`/api/notifications/webhooks/${id}/`);
		},
	);

	it("that is shared hears of the checks of two owners that one run evaluates", async () => {
		const one = await addFailing();
		const others = getChecks(boss.api, () => t);
		const second = await others.add({ saved_query: one.query, type: "no_rows", name: `Readers ${++names}` });
		const id = await add(boss, { is_shared: true });
		await checks.run(one.query, connection);
		expect(await untilReceived(one, 1)).toEqual([getFailingTitle(one)]);
		const theirs = { ...one, name: second.name as string };
		expect(await untilReceived(theirs, 1)).toEqual([getFailingTitle(theirs)]);
		await boss.api.del(`/api/notifications/webhooks/${id}/`);
	});
});
