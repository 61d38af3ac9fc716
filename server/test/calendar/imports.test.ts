/** Imported calendars and feeds, through the API. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebhookSender } from "../../src/integrations/webhooks/port.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { type Api, startTestApp, type TestApp, type TestUser, waitUntilAfter } from "../support/harness.ts";
import { auditEntries, setRights } from "../support/rights.ts";

const ENTRIES = "/api/calendar/entries/";
const SOURCES = "/api/calendar/sources/";
const FEED = "/api/calendar/feed/";
const HOUR_MS = 3_600_000;

let t: TestApp;
let ada: TestUser;
let fabric: string;
let webhooks: WebhookSender;
let remote: Server;
let url: string;
/** The answer of the other system. */
let answer: { status: number; text: string } = { status: 200, text: "" };

beforeAll(async () => {
	remote = createServer((_, response) => response.writeHead(answer.status).end(answer.text));
	await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/private/secret.ics`;
	webhooks = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] });
	t = await startTestApp({ work: true, deps: { webhooks } });
	ada = await t.user("ada", ["Operator"]);
	fabric = await addConnection(ada.api, "Fabric of Ada");
});
afterAll(async () => {
	await t.close();
	await webhooks.close();
	remote.close();
});

async function addConnection(api: Api, name: string): Promise<string> {
	const login = { url: "https://apic.example.com", username: "admin", password: "a password" };
	const { status, body } = await api.post("/api/controller/connections/", { name, ...login });
	expect(status).toBe(201);
	return body.id;
}

const buildEvent = (uid: string, ...lines: string[]): string[] => [
	"BEGIN:VEVENT",
	`UID:${uid}`,
	...lines,
	"END:VEVENT",
];
const buildCalendar = (...events: string[][]): string =>
	["BEGIN:VCALENDAR", "VERSION:2.0", ...events.flat(), "END:VCALENDAR", ""].join("\r\n");
const buildNight = (uid: string, title: string) =>
	buildEvent(uid, `SUMMARY:${title}`, "DTSTART;TZID=Europe/Berlin:20260601T220000", "DURATION:PT6H");
const importCalendar = (body: Record<string, unknown>, api = ada.api) =>
	api.post(`${ENTRIES}import/`, { kind: "maintenance", controller_connection_ids: [fabric], ...body });
const listEntries = async (search: string) =>
	(await ada.api.get(`${ENTRIES}?search=${encodeURIComponent(search)}`)).body.results;

describe("a calendar file", () => {
	it("makes entries of a file, changes them at the next import, and names events that it leaves out", async () => {
		const bad = buildEvent("bad", "SUMMARY:No end", "DTSTART:20260601T220000Z");
		const old = buildEvent("old", "SUMMARY:Over", "DTSTART:20250601T220000Z", "DURATION:PT1H");
		const first = await importCalendar({
			content: buildCalendar(buildNight("a", "File A"), buildNight("b", "File B"), bad, old),
		});
		expect(first.status, first.text).toBe(201);
		expect(first.body).toEqual({
			created: 2,
			updated: 0,
			unchanged: 0,
			removed: 0,
			past: 1,
			skipped: [{ uid: "bad", title: "No end", reason: "It has no end." }],
			source: null,
		});
		const [entry] = await listEntries("File A");
		expect(entry).toMatchObject({
			kind: "maintenance",
			source: "ics",
			controller_connection_ids: [fabric],
			starts_at: "2026-06-01T20:00:00.000Z",
			ends_at: "2026-06-02T02:00:00.000Z",
			time_zone: "Europe/Berlin",
			can_edit: true,
		});
		const again = await importCalendar({
			content: buildCalendar(buildNight("a", "File A"), buildNight("b", "File C")),
		});
		expect(again.body).toMatchObject({ created: 0, updated: 1, unchanged: 1, removed: 0 });
		expect((await ada.api.patch(`${ENTRIES}${entry.id}/`, { title: "Mine" })).status).toBe(200);
	});

	it("refuses a file that is no calendar, a file with an address, and missing rights", async () => {
		expect((await importCalendar({ content: "<html>" })).body).toEqual({
			content: [expect.stringContaining("This is no iCalendar file")],
		});
		expect((await importCalendar({})).status).toBe(400);
		expect((await importCalendar({ content: "x", url })).status).toBe(400);
		expect((await importCalendar({ content: "x".repeat(600_000) })).body).toHaveProperty("content");
		const content = buildCalendar(buildNight("f", "Frozen"));
		expect((await importCalendar({ content, kind: "freeze" })).status).toBe(403);
		expect((await importCalendar({ content, controller_connection_ids: [] })).status).toBe(403);
		expect(await listEntries("Frozen")).toEqual([]);
	});
});

describe("the address of a calendar", () => {
	it("reads an address at once and every hour; its entries follow it, and are deleted with it", async () => {
		answer = { status: 200, text: buildCalendar(buildNight("a", "Remote A"), buildNight("b", "Remote B")) };
		const { status, body, text } = await importCalendar({ url });
		expect(status, text).toBe(201);
		expect(body).toMatchObject({ created: 2, source: { url_host: new URL(url).host, error: "", kind: "maintenance" } });
		expect(text).not.toContain("secret.ics");
		const [entry] = await listEntries("Remote A");
		expect((await ada.api.patch(`${ENTRIES}${entry.id}/`, { title: "Mine" })).status).toBe(409);
		answer = { status: 200, text: buildCalendar(buildNight("a", "Remote A, later")) };
		await waitUntilAfter(t.clock, HOUR_MS / 4, "the calendar is read again", async () => {
			const titles = (await listEntries("Remote")).map(({ title }: { title: string }) => title);
			return titles.join() === "Remote A, later";
		});
		answer = { status: 500, text: "" };
		await waitUntilAfter(t.clock, HOUR_MS / 4, "the failure is shown", async () => {
			const { results } = (await ada.api.get(SOURCES)).body;
			return results[0].error.includes("answered 500");
		});
		expect(await listEntries("Remote")).toHaveLength(1);
		const other = await t.user("other", ["Operator"]);
		expect((await other.api.get(SOURCES)).body.count).toBe(0);
		expect((await other.api.del(`${SOURCES}${body.source.id}/`)).status).toBe(404);
		expect((await ada.api.del(`${SOURCES}${body.source.id}/`)).status).toBe(204);
		expect(await listEntries("Remote")).toEqual([]);
		const actions = (await auditEntries(t)).map(({ action }) => action);
		expect(actions).toContain("calendar_import");
		expect(actions).toContain("calendar_source_delete");
	});

	it("refuses an address outside of the allowed networks, and an answer that is no calendar", async () => {
		answer = { status: 200, text: "<!doctype html><p>Sign in</p>" };
		expect((await importCalendar({ url })).body).toEqual({ url: [expect.stringContaining("no iCalendar file")] });
		answer = { status: 302, text: "" };
		expect((await importCalendar({ url })).body).toEqual({ url: [expect.stringContaining("answered 302")] });
		answer = { status: 200, text: "x".repeat(600_000) };
		expect((await importCalendar({ url })).body).toEqual({ url: [expect.stringContaining("more than 512 KiB")] });
		for (const refused of ["http://169.254.169.254/a.ics", "http://10.0.0.1/a.ics", "http://127.0.0.2/a.ics"]) {
			expect((await importCalendar({ url: refused })).body).toEqual({ url: [expect.stringContaining("do not allow")] });
		}
		expect((await importCalendar({ url: "ftp://example.com/a.ics" })).body).toHaveProperty("url");
	});
});

describe("a calendar feed", () => {
	it("serves a feed of the occurrences and runs that its owner sees, at a secret address that can end", async () => {
		const vera = await t.user("vera", ["Operator"]);
		const own = await addConnection(vera.api, "Fabric of Vera");
		const made = await vera.api.post(ENTRIES, {
			kind: "maintenance",
			title: "Vera's nights; with a sign",
			controller_connection_ids: [own],
			starts_at: new Date(t.clock.now() + HOUR_MS).toISOString(),
			ends_at: new Date(t.clock.now() + 2 * HOUR_MS).toISOString(),
			rrule: "FREQ=DAILY;COUNT=3",
		});
		expect(made.status, made.text).toBe(201);
		const query = await vera.api.post("/api/queries/saved-queries/", {
			name: "Tenants",
			flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
		});
		const schedule = { name: "Nightly", saved_query: query.body.id, controller_connection_ids: [own] };
		const cadence = { frequency: "daily", time_of_day: "06:30", timezone: "UTC" };
		expect((await vera.api.post("/api/queries/scheduled-tasks/", { ...schedule, ...cadence })).status).toBe(201);

		const feed = await vera.api.post(FEED);
		expect([feed.status, Object.keys(feed.body)]).toEqual([201, ["url"]]);
		const { pathname } = new URL(feed.body.url);
		const read = await t.anonymous.get(pathname);
		expect([read.status, read.headers["content-type"]]).toEqual([200, "text/calendar; charset=utf-8"]);
		expect(read.text.match(/SUMMARY:Maintenance: Vera's nights\\; with a sign/g)).toHaveLength(3);
		expect(read.text.match(/SUMMARY:Schedule: Nightly/g)?.length).toBeGreaterThan(20);
		expect(read.text).not.toContain("File A");
		for (const line of read.text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);

		const second = new URL((await vera.api.post(FEED)).body.url).pathname;
		expect((await t.anonymous.get(pathname)).status).toBe(404);
		expect((await ada.api.del(second)).status).toBe(404);
		expect((await vera.api.del(second)).status).toBe(204);
		expect((await t.anonymous.get(second)).status).toBe(404);
		const third = new URL((await vera.api.post(FEED)).body.url).pathname;
		await setRights(t, vera, {});
		expect((await t.anonymous.get(third)).text).not.toContain("BEGIN:VEVENT");
		await setRights(t, vera, { groups: ["Operator"] });
		expect((await vera.api.del(FEED)).status).toBe(204);
		expect((await t.anonymous.get(third)).status).toBe(404);
		expect((await vera.api.del(FEED)).status).toBe(204);
	});

	it("has the change windows that its owner sees at their planned times, without drafts and cancelled ones", async () => {
		const owner = await t.user("window-feed", ["Operator"]);
		const { api } = owner;
		const own = await addConnection(api, "Fabric of windows");
		const query = await api.post("/api/queries/saved-queries/", {
			name: "Tenants",
			flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
			enable_time_machine: true,
		});
		const plan = await api.post("/api/change-plans/", { name: "Tenants", items: [{ query: query.body.id }] });
		expect(plan.status, plan.text).toBe(201);
		const [starts_at = "", ends_at = ""] = [1, 2].map((hours) =>
			new Date(t.clock.now() + hours * HOUR_MS).toISOString(),
		);
		const addWindow = async (title: string, steps: readonly string[]) => {
			const made = await api.post("/api/change-windows/", {
				title,
				plan: plan.body.id,
				connection_ids: [own],
				ticket: { number: "CHG0031337" },
				starts_at,
				ends_at,
			});
			expect(made.status, made.text).toBe(201);
			for (const step of steps)
				expect((await api.post(`/api/change-windows/${made.body.id}/${step}/`)).status, step).toBe(200);
		};
		await addWindow("VLANs of rack 7", ["submit"]);
		await addWindow("A draft", []);
		await addWindow("A cancelled one", ["submit", "cancel"]);
		const { pathname } = new URL((await api.post(FEED)).body.url);
		const { text } = await t.anonymous.get(pathname);
		expect(text.match(/SUMMARY:[^\r]*/g)).toEqual(["SUMMARY:Change window: VLANs of rack 7"]);
		const formatTime = (time: string) => time.replace(/[-:]|\.\d+/g, "");
		expect(text).toContain(`DTSTART:${formatTime(starts_at)}`);
		expect(text).toContain(`DTEND:${formatTime(ends_at)}`);
		expect(text).toContain("CHG0031337");
		await setRights(t, owner, {});
		expect((await t.anonymous.get(pathname)).text).not.toContain("BEGIN:VEVENT");
	});
});
