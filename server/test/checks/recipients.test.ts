/** Recipients that a check adds to its owner: people, webhooks and addresses. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WebhookSender } from "../../src/integrations/webhooks/port.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { addConnection, buildClassNode, createCanvas, QUERIES, UNKNOWN } from "../support/canvases.ts";
import { CHECKS, getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser, waitUntilAfter } from "../support/harness.ts";
import { type MailSink, startMailSink } from "../support/mail-sink.ts";
import { createEagerDriver } from "../support/runs.ts";
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts";

const WEBHOOKS = "/api/notifications/webhooks/";
let t: TestApp;
let lab: RunningController;
let receiver: Receiver;
let webhooks: WebhookSender;
let sink: MailSink;
let ada: TestUser;
let bob: TestUser;
let connection: string;
let checks: ReturnType<typeof getChecks>;
let names = 0;

beforeAll(async () => {
	lab = await startController({ size: "small" });
	receiver = await startReceiver();
	sink = await startMailSink();
	webhooks = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
	t = await startTestApp({
		work: true,
		deps: { controllers: createEagerDriver(), webhooks, mailer: sink.mailer, mailDomains: ["noc.example.com"] },
	});
	ada = await t.user("ada", ["Editor"]);
	bob = await t.user("bob", ["Viewer"]);
	checks = getChecks(ada.api, () => t);
	connection = await addConnection(ada.api, lab, { name: "fab-dc1", is_public: true });
});
afterAll(async () => {
	await t.close();
	await webhooks.close();
	await sink.close();
	await receiver.close();
	await lab.close();
});
beforeEach(() => {
	sink.received.length = 0;
	receiver.received.length = 0;
});

/** A public check of a public query that fails on every run. */
async function addFailing(notify: object, fields: object = {}) {
	const query = await checks.query("fvTenant", { is_public: true });
	const name = `Recipients ${++names}`;
	const check = await checks.add({ saved_query: query, type: "no_rows", name, is_public: true, notify, ...fields });
	return { query, check, name, path: `${CHECKS}${check.id}/` };
}
type Failing = Awaited<ReturnType<typeof addFailing>>;

const runOnce = ({ query }: Failing) => checks.run(query, connection);
/** Makes the query find nothing. */
const emptyQuery = ({ query }: Failing) =>
	ada.api.patch(`${QUERIES}${query}/`, { flow_data: createCanvas([buildClassNode("vnsAbsGraph")]) });
const listTitles = async ({ api }: TestUser, { name }: Failing): Promise<string[]> => {
	const { body } = await api.get("/api/notifications/notifications/?page_size=200");
	const titles = (body.results as { title: string }[]).map(({ title }) => title).reverse();
	return titles.filter((title) => title.includes(`"${name}"`));
};
const getFailing = ({ name }: Failing) => `Check "${name}" is failing on fab-dc1`;
const getRecovered = ({ name }: Failing) => `Check "${name}" is ok again on fab-dc1`;
const addWebhook = async (user: TestUser, fields: object = {}): Promise<string> => {
	const secret = "a-secret-of-the-receiver";
	const { status, text, body } = await user.api.post(WEBHOOKS, {
		name: `Hook ${++names}`,
		url: receiver.url,
		secret,
		...fields,
	});
	expect(status, text).toBe(201);
	return body.id;
};
const waitForMails = (count: number) =>
	waitUntilAfter(t.clock, 5_000, `${count} mails`, async () => sink.received.length >= count);
const waitForPosts = (count: number) =>
	waitUntilAfter(t.clock, 5_000, `${count} posts`, async () => receiver.received.length >= count);

describe("the recipients of a check", () => {
	it("notifies the owner of a check unless others are named", async () => {
		const check = await checks.add({ saved_query: await checks.query(), type: "no_rows" });
		const own = { user_ids: [ada.id], webhook_ids: [], addresses: [], min_severity: "info" };
		expect(check.notify).toEqual(own);
		const path = `${CHECKS}${check.id}/`;
		const named = { addresses: ["a@noc.example.com", "a@noc.example.com"], min_severity: "critical" };
		const { body } = await ada.api.patch(path, { notify: named });
		expect(body.notify).toEqual({ ...own, ...named, addresses: ["a@noc.example.com"] });
		expect((await ada.api.patch(path, { name: "Renamed" })).body.notify).toEqual(body.notify);
		const { name, saved_query, type } = check;
		expect((await ada.api.put(path, { name, saved_query, type })).body.notify).toEqual(own);
	});

	it("hides addresses and webhooks of recipients from those who may not edit the check", async () => {
		const hook = await addWebhook(ada);
		const one = await addFailing({ user_ids: [bob.id], webhook_ids: [hook], addresses: ["a@noc.example.com"] });
		expect((await bob.api.get(one.path)).body.notify).toEqual({
			user_ids: [bob.id],
			webhook_ids: [],
			addresses: [],
			min_severity: "info",
		});
		await ada.api.del(`${WEBHOOKS}${hook}/`);
	});

	it("refuses recipients by field who cannot see the check, and webhooks of others", async () => {
		const saved_query = await checks.query();
		const foreign = await addWebhook(bob);
		const refuse = async (notify: object, fields: object = {}) => {
			const { status, body } = await ada.api.post(CHECKS, {
				name: "Refused",
				saved_query,
				type: "no_rows",
				notify,
				...fields,
			});
			expect(status).toBe(400);
			return body as Record<string, string[]>;
		};
		expect((await refuse({ user_ids: [bob.id] }))["notify.user_ids"]).toEqual([
			`No active user who sees the check has the id ${bob.id}. Make the check public and share its query with them, or leave them out.`,
		]);
		// The check is public, its query is not.
		expect(Object.keys(await refuse({ user_ids: [bob.id] }, { is_public: true }))).toEqual(["notify.user_ids"]);
		for (const id of [foreign, UNKNOWN]) {
			expect((await refuse({ webhook_ids: [id] }))["notify.webhook_ids"]?.[0]).toContain("or a shared one");
		}
		expect((await refuse({ addresses: ["a@elsewhere.example.org"] }))["notify.addresses"]?.[0]).toContain(
			"WEFT_MAIL_DOMAINS",
		);
		expect(Object.keys(await refuse({ addresses: ["nobody"] }))).toEqual(["notify.addresses.0"]);
		expect(Object.keys(await refuse({ addresses: Array(21).fill("a@noc.example.com") }))).toEqual(["notify.addresses"]);
		expect(Object.keys(await refuse({ user_ids: Array(51).fill(bob.id) }))).toEqual(["notify.user_ids"]);
		expect(Object.keys(await refuse({ webhook_ids: Array(21).fill(foreign) }))).toEqual(["notify.webhook_ids"]);
		expect(Object.keys(await refuse({ min_severity: "fatal" }))).toEqual(["notify.min_severity"]);
		await bob.api.del(`${WEBHOOKS}${foreign}/`);
	});
});

describe("an alert", () => {
	it("goes to a person and to an address once, and so does its end", async () => {
		const one = await addFailing({ user_ids: [bob.id], addresses: ["desk@noc.example.com"] });
		await runOnce(one);
		await runOnce(one);
		await waitForMails(1);
		for (const user of [ada, bob]) expect(await listTitles(user, one)).toEqual([getFailing(one)]);
		expect(sink.received.map(({ to }) => to)).toEqual([["desk@noc.example.com"]]);
		expect(sink.received[0]?.body).toContain("You get this because ada named your address as a recipient.");
		await emptyQuery(one);
		await runOnce(one);
		await waitForMails(2);
		for (const user of [ada, bob]) expect(await listTitles(user, one)).toEqual([getFailing(one), getRecovered(one)]);
	});

	it("closes with severity info for everyone when the check is deleted", async () => {
		const one = await addFailing({ user_ids: [bob.id], addresses: ["desk@noc.example.com"] });
		await runOnce(one);
		expect((await ada.api.del(one.path)).status).toBe(204);
		await waitForMails(2);
		const { body } = await bob.api.get("/api/notifications/notifications/?page_size=1");
		expect(body.results[0]).toMatchObject({
			title: `Check "${one.name}" is closed on fab-dc1`,
			severity: "info",
		});
	});

	it("stays with the owner below the least severity of the others", async () => {
		const hook = await addWebhook(ada, { categories: ["system"] });
		const one = await addFailing({
			user_ids: [bob.id],
			webhook_ids: [hook],
			addresses: ["desk@noc.example.com"],
			min_severity: "critical",
		});
		await runOnce(one);
		await t.clock.advance(30_000);
		expect([await listTitles(ada, one), await listTitles(bob, one)]).toEqual([[getFailing(one)], []]);
		await emptyQuery(one);
		await runOnce(one);
		await t.clock.advance(30_000);
		expect(await listTitles(bob, one)).toEqual([]);
		expect([sink.received, receiver.received]).toEqual([[], []]);
		await ada.api.del(`${WEBHOOKS}${hook}/`);
	});

	it("reaches a named webhook that does not take the category, and no other check's alert does", async () => {
		const hook = await addWebhook(ada, { categories: ["system"] });
		const [one, other] = [await addFailing({ webhook_ids: [hook] }), await addFailing({})];
		await runOnce(other);
		await runOnce(one);
		await waitForPosts(1);
		await emptyQuery(one);
		await runOnce(one);
		await waitForPosts(2);
		expect(receiver.received.map(({ body }) => body.data.title)).toEqual([getFailing(one), getRecovered(one)]);
		await ada.api.del(`${WEBHOOKS}${hook}/`);
	});

	it("leaves out a person who has left or no longer sees the check, without an error", async () => {
		const carl = await t.user("carl", ["Viewer"]);
		const one = await addFailing({ user_ids: [bob.id, carl.id], addresses: ["desk@noc.example.com"] });
		await t.pool.query("update users set is_active = false where id = $1", [carl.id]);
		expect((await ada.api.patch(one.path, { is_public: false })).status).toBe(200);
		await runOnce(one);
		await waitForMails(1);
		expect([await listTitles(ada, one), await listTitles(bob, one)]).toEqual([[getFailing(one)], []]);
		const { rows } = await t.pool.query("select from notifications where user_id = $1", [carl.id]);
		expect(rows).toEqual([]);
	});

	it("says nothing of a connection to a person who does not see it", async () => {
		const secret = await addConnection(ada.api, lab, { name: "fab-secret" });
		const one = await addFailing({ user_ids: [bob.id] });
		await checks.run(one.query, secret);
		expect(await listTitles(ada, one)).toEqual([`Check "${one.name}" is failing on fab-secret`]);
		expect(await listTitles(bob, one)).toEqual([]);
	});
});

describe("the objects of an alert", () => {
	const each = { type: "each_row", config: { conditions: [{ field: "name", operator: "eq", value: "none" }] } };

	it.each([["json"], ["slack"], ["teams"]])(
		"names three violating objects with their values in a %s message",
		async (format) => {
			const hook = await addWebhook(ada, { format });
			const one = await addFailing({}, each);
			await runOnce(one);
			// A new webhook also gets alerts of checks that fail already.
			const findPost = () => receiver.received.find(({ body }) => JSON.stringify(body).includes(`${one.name}\\"`));
			await waitUntilAfter(t.clock, 5_000, "the post of the check", async () => findPost() !== undefined);
			const { violations } = await checks.getState(one.check.id, connection);
			const { sample } = await checks.evidence(one.check.id, connection);
			const text = JSON.stringify(findPost()?.body).replaceAll("\\", "");
			const shown = (sample as { row: { fvTenant: { attributes: { dn: string; name: string } } } }[])
				.slice(0, 3)
				.map(({ row }) => row.fvTenant.attributes);
			expect(shown).toHaveLength(3);
			for (const { dn, name } of shown) expect(text).toContain(`- ${dn}: name ${name}`);
			expect(text).toContain(`- and ${violations - 3} more`);
			if (format === "json") {
				const [check, ...objects] = findPost()?.body.data.objects ?? [];
				expect(check).toMatchObject({ kind: "check", after: "failing" });
				expect(objects).toEqual(
					shown.map(({ dn, name }) => ({
						kind: "managed_object",
						id: dn,
						name: dn,
						connection: "fab-dc1",
						before: null,
						after: `name ${name}`,
					})),
				);
			}
			await ada.api.del(`${WEBHOOKS}${hook}/`);
		},
	);

	it("names three violating objects in the mail", async () => {
		const one = await addFailing({ addresses: ["desk@noc.example.com"] }, each);
		await runOnce(one);
		await waitForMails(1);
		expect(sink.received[0]?.body).toMatch(/- uni\/tn-\S+: name \S+\r?\n/);
	});
});
