/** Calendar entries through the API: fields, occurrences, and the rights to see and change them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit, setRights } from "../support/rights.ts";

const PATH = "/api/calendar/entries/";
const UNKNOWN = "01890000-0000-7000-8000-000000000000";
const LOGIN = { url: "https://apic.example.com", username: "admin", password: "a password" };

let t: TestApp;
/** Operates fabrics of her own. */
let ada: TestUser;
/** Sees what others share. */
let vera: TestUser;
let fabric: string;
let shared: string;
let counter = 0;
beforeAll(async () => {
	t = await startTestApp();
	[ada, vera] = [await t.user("ada", ["Operator"]), await t.user("vera", ["Viewer"])];
	[fabric, shared] = [await addConnection(ada.api), await addConnection(ada.api, { is_public: true })];
});
afterAll(() => t.close());

async function addConnection(api: Api, fields: Record<string, unknown> = {}): Promise<string> {
	const { status, body } = await api.post("/api/controller/connections/", {
		name: `Fabric ${++counter}`,
		...LOGIN,
		...fields,
	});
	expect(status).toBe(201);
	return body.id;
}

const buildNight = (fields: Record<string, unknown> = {}) => ({
	kind: "maintenance",
	title: "Upgrade",
	controller_connection_ids: [fabric],
	starts_at: "2026-03-14T21:00:00Z",
	ends_at: "2026-03-15T03:00:00Z",
	time_zone: "Europe/Berlin",
	...fields,
});

async function addEntry(api: Api, fields: Record<string, unknown> = {}) {
	const { status, body, text } = await api.post(PATH, buildNight(fields));
	expect(status, text).toBe(201);
	return body;
}

describe("a calendar entry", () => {
	it("answers an entry with all fields, the occurrence that is on and the next one", async () => {
		const ticket = { number: "CHG0031337", url: "https://tickets.example.com/CHG0031337" };
		const made = await addEntry(ada.api, {
			reason: "A new release",
			ticket,
			starts_at: "2026-01-15T11:00:00+02:00",
			ends_at: "2026-01-15T12:00:00Z",
			rrule: "FREQ=WEEKLY",
			exdates: ["2026-01-22T09:00:00Z"],
		});
		const at = new Date(t.clock.now()).toISOString();
		expect(made).toEqual({
			id: expect.stringMatching(/^[0-9a-f-]{36}$/),
			kind: "maintenance",
			title: "Upgrade",
			reason: "A new release",
			ticket,
			controller_connection_ids: [fabric],
			connection_group_ids: [],
			is_for_all: false,
			hidden_count: 0,
			starts_at: "2026-01-15T09:00:00.000Z",
			ends_at: "2026-01-15T12:00:00.000Z",
			rrule: "FREQ=WEEKLY",
			exdates: ["2026-01-22T09:00:00.000Z"],
			time_zone: "Europe/Berlin",
			is_active: true,
			source: "manual",
			current: { starts_at: "2026-01-15T09:00:00.000Z", ends_at: "2026-01-15T12:00:00.000Z" },
			next: { starts_at: "2026-01-29T09:00:00.000Z", ends_at: "2026-01-29T12:00:00.000Z" },
			created_by: { id: ada.id, username: "ada", first_name: "", last_name: "" },
			created_at: at,
			updated_at: at,
			can_edit: true,
			can_delete: true,
		});
		expect((await ada.api.get(`${PATH}${made.id}/`)).body).toEqual(made);
		expect((await ada.api.get(PATH)).body.results).toContainEqual(made);
		expect((await findAudit(t, made.id)).map(({ action }) => action)).toEqual(["calendar_entry_create"]);
	});

	it("changes one field of an entry, ends it early, and replaces all fields", async () => {
		const made = await addEntry(ada.api, { starts_at: "2026-01-15T09:00:00Z", ends_at: "2026-01-15T12:00:00Z" });
		const path = `${PATH}${made.id}/`;
		const now = new Date(t.clock.now()).toISOString();
		const ended = await ada.api.patch(path, { ends_at: now });
		expect(ended.body).toMatchObject({ ends_at: now, current: null, next: null, title: "Upgrade" });
		expect((await ada.api.patch(path, {})).status).toBe(200);
		const replaced = await ada.api.put(path, buildNight({ title: "Later", rrule: "FREQ=DAILY" }));
		expect(replaced.body).toMatchObject({ title: "Later", reason: "", ticket: null, rrule: "FREQ=DAILY" });
		expect((await ada.api.del(path)).status).toBe(204);
		expect((await ada.api.get(path)).status).toBe(404);
		expect((await findAudit(t, made.id)).map(({ action }) => action)).toEqual([
			"calendar_entry_create",
			"calendar_entry_update",
			"calendar_entry_update",
			"calendar_entry_delete",
		]);
	});

	it.each([
		["ends_at", { ends_at: "2026-03-14T21:00:00Z" }],
		["ends_at", { ends_at: "2027-09-15T03:00:00Z" }],
		["starts_at", { starts_at: "1969-12-31T21:00:00Z" }],
		["rrule", { rrule: "FREQ=HOURLY" }],
		["rrule", { rrule: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30" }],
		["rrule", { rrule: `FREQ=WEEKLY;BYDAY=${"MO,".repeat(200)}TU` }],
		["time_zone", { time_zone: "Mars/Base" }],
		["ticket.url", { ticket: { number: "1", url: "javascript:alert(1)" } }],
		["controller_connection_ids", { controller_connection_ids: [UNKNOWN] }],
		["connection_group_ids", { connection_group_ids: [UNKNOWN] }],
		["kind", { kind: "holiday" }],
		["title", { title: " " }],
		["exdates", { exdates: Array.from({ length: 501 }, () => "2026-03-14T21:00:00Z") }],
	])("refuses an entry, and names its field %s", async (field, fields) => {
		const { status, body } = await ada.api.post(PATH, buildNight(fields));
		expect([status, Object.keys(body)]).toEqual([400, [field]]);
	});
});

describe("the list of occurrences", () => {
	it("lists occurrences of active entries between two times, the earliest first, by connection and kind", async () => {
		const other = await addConnection(ada.api);
		const weekly = await addEntry(ada.api, { rrule: "FREQ=WEEKLY", controller_connection_ids: [other] });
		const once = await addEntry(ada.api, {
			controller_connection_ids: [other],
			starts_at: "2026-03-21T08:00:00Z",
			ends_at: "2026-03-21T09:00:00Z",
		});
		await addEntry(ada.api, { controller_connection_ids: [other], is_active: false });
		const list = async (query: string) => (await ada.api.get(`${PATH}occurrences/?connection=${other}&${query}`)).body;
		const { count, results } = await list("from=2026-03-15T02:00:00Z&to=2026-04-01T00:00:00Z");
		expect(count).toBe(4);
		expect(results.map(({ entry_id, starts_at }: Record<string, string>) => [entry_id, starts_at])).toEqual([
			[weekly.id, "2026-03-14T21:00:00.000Z"],
			[once.id, "2026-03-21T08:00:00.000Z"],
			[weekly.id, "2026-03-21T21:00:00.000Z"],
			[weekly.id, "2026-03-28T21:00:00.000Z"],
		]);
		expect(results[1]).toEqual({
			entry_id: once.id,
			title: "Upgrade",
			kind: "maintenance",
			starts_at: "2026-03-21T08:00:00.000Z",
			ends_at: "2026-03-21T09:00:00.000Z",
		});
		expect((await list("from=2026-03-15T02:00:00Z&to=2026-04-01T00:00:00Z&kind=freeze")).count).toBe(0);
		const second = await list("from=2026-03-15T02:00:00Z&to=2026-04-01T00:00:00Z&page_size=3&page=2");
		expect(second.results).toEqual([results[3]]);
	});

	it.each(["from=2026-03-15T02:00:00Z&to=2026-03-15T02:00:00Z", "from=2026-01-01T00:00:00Z&to=2027-03-15T02:00:00Z"])(
		"refuses to list occurrences of the time %s",
		async (query) => {
			const { status, body } = await ada.api.get(`${PATH}occurrences/?${query}`);
			expect([status, Object.keys(body)]).toEqual([400, ["to"]]);
		},
	);
});

describe("rights on calendar entries", () => {
	it("shows entries of visible connections, and counts hidden ones", async () => {
		const hidden = await addEntry(ada.api);
		const both = await addEntry(ada.api, { controller_connection_ids: [fabric, shared] });
		expect((await vera.api.get(`${PATH}${hidden.id}/`)).status).toBe(404);
		const { body } = await vera.api.get(`${PATH}${both.id}/`);
		expect(body).toMatchObject({
			controller_connection_ids: [shared],
			hidden_count: 1,
			is_for_all: false,
			can_edit: false,
			can_delete: false,
		});
		expect((await vera.api.patch(`${PATH}${both.id}/`, { title: "Mine" })).status).toBe(403);
		expect((await vera.api.del(`${PATH}${both.id}/`)).status).toBe(403);
		const ids = (await vera.api.get(`${PATH}?page_size=200`)).body.results.map(({ id }: { id: string }) => id);
		expect(ids).toContain(both.id);
		expect(ids).not.toContain(hidden.id);
	});

	it("requires the right to edit every connection of an entry, and names the others", async () => {
		const bob = await t.user("bob", ["Operator"]);
		const own = await addConnection(bob.api);
		const refused = await bob.api.post(PATH, buildNight({ controller_connection_ids: [own, shared] }));
		expect([refused.status, refused.body.detail]).toEqual([403, expect.stringMatching(/not edit .*: "Fabric 2"\./)]);
		const groups = "/api/controller/connection-groups/";
		const group = (await bob.api.post(groups, { name: "Mixed", connection_ids: [own, shared] })).body.id;
		const byGroup = await bob.api.post(
			PATH,
			buildNight({ controller_connection_ids: [], connection_group_ids: [group] }),
		);
		expect([byGroup.status, byGroup.body.detail]).toEqual([403, expect.stringContaining('"Fabric 2"')]);
		await bob.api.patch(`${groups}${group}/`, { connection_ids: [own] });
		const made = await addEntry(bob.api, { controller_connection_ids: [], connection_group_ids: [group] });
		// Adding a connection to the group does not hold its alerts.
		await bob.api.patch(`${groups}${group}/`, { connection_ids: [own, shared] });
		const ofShared = await t.admin.api.get(`${PATH}?connection=${shared}&page_size=200`);
		const ofOwn = await t.admin.api.get(`${PATH}?connection=${own}`);
		expect(ofShared.body.results.map(({ id }: { id: string }) => id)).not.toContain(made.id);
		expect(ofOwn.body.results.map(({ id }: { id: string }) => id)).toEqual([made.id]);
	});

	it("lets only administrators make entries for all connections", async () => {
		const everywhere = { controller_connection_ids: [] };
		expect((await ada.api.post(PATH, buildNight(everywhere))).status).toBe(403);
		const made = await addEntry(t.admin.api, everywhere);
		expect(made).toMatchObject({ is_for_all: true, controller_connection_ids: [] });
		expect((await vera.api.get(`${PATH}${made.id}/`)).body).toMatchObject({ is_for_all: true, can_edit: false });
		expect((await ada.api.get(`${PATH}?connection=${fabric}&page_size=200`)).body.results).toContainEqual({
			...made,
			can_edit: false,
			can_delete: false,
		});
	});

	it("keeps an entry for its connections when one of them is deleted", async () => {
		const gone = await addConnection(ada.api);
		const made = await addEntry(ada.api, { controller_connection_ids: [gone] });
		expect((await ada.api.del(`/api/controller/connections/${gone}/`)).status).toBe(204);
		const { body } = await ada.api.get(`${PATH}${made.id}/`);
		expect(body).toMatchObject({ controller_connection_ids: [], is_for_all: false, hidden_count: 0 });
		expect((await ada.api.patch(`${PATH}${made.id}/`, { title: "Over" })).status).toBe(200);
		expect((await ada.api.get(`${PATH}?connection=${fabric}&search=Over`)).body.count).toBe(0);
	});

	it("requires the permission to override freezes for making, changing and deleting one", async () => {
		const freeze = { kind: "freeze" };
		expect((await ada.api.post(PATH, buildNight(freeze))).status).toBe(403);
		const kim = await t.user("kim", ["Operator"]);
		await setRights(t, kim, { groups: ["Operator"], permissions: ["override_freeze"] });
		const own = await addConnection(kim.api, { is_public: true });
		const made = await addEntry(kim.api, { ...freeze, controller_connection_ids: [own] });
		expect((await kim.api.patch(`${PATH}${made.id}/`, { title: "End of the year" })).status).toBe(200);
		await setRights(t, kim, { groups: ["Operator"] });
		expect((await kim.api.get(`${PATH}${made.id}/`)).body).toMatchObject({ can_edit: false, can_delete: false });
		expect((await kim.api.del(`${PATH}${made.id}/`)).status).toBe(403);
		const { status } = await ada.api.patch(`${PATH}${(await addEntry(ada.api)).id}/`, freeze);
		expect(status).toBe(403);
	});
});
