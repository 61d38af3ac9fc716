/** A question that is watched: query, check, schedule and recipients of one call. */
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection, QUERIES } from "../support/canvases.ts";
import { CHECKS } from "../support/checks.ts";
import { GALLERY } from "../support/gallery.ts";
import { type TestUser, waitUntil } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";
import { useRuns } from "../support/runs.ts";

const HOURLY = { frequency: "hourly", minute_of_hour: 0, timezone: "UTC" };
const RECIPIENTS = `${CHECKS}recipients/`;
const runs = useRuns();
let ada: TestUser;
let connection: string;
beforeAll(() => {
	({ ada, connection } = runs);
});
const watchQuestion = (key: string, fields: object, user = ada) => user.api.post(`${GALLERY}${key}/watch/`, fields);

describe("a question that is watched", () => {
	it("makes a query with snapshots, a check and a schedule, and evaluates the check at once", async () => {
		const { status, body, text } = await watchQuestion("bds-with-flooding", {
			name: "No bridge domain floods",
			controller_connection_ids: [connection],
			schedule: HOURLY,
			severity: "critical",
			notify: { addresses: ["noc@example.com"], min_severity: "warning" },
		});
		expect(status, text).toBe(201);
		expect(body).toMatchObject({
			name: "No bridge domain floods",
			query_name: "No bridge domain floods",
			type: "no_rows",
			severity: "critical",
			is_watched: true,
			is_public: false,
			schedules: [{ name: "No bridge domain floods", frequency: "hourly" }],
			notify: { user_ids: [ada.id], webhook_ids: [], addresses: ["noc@example.com"], min_severity: "warning" },
		});
		const query = await ada.api.get(`${QUERIES}${body.saved_query}/`);
		expect(query.body).toMatchObject({ enable_time_machine: true, is_public: false });
		await waitUntil("the check is evaluated", async () => {
			const { states } = (await ada.api.get(`${CHECKS}${body.id}/`)).body;
			return states[0]?.last_evaluated_at !== null;
		});
	});

	it("takes another rule, and the values of the question's variables as defaults of the query", async () => {
		const fields = { name: "Web is on a port", type: "row_count", config: { operator: "ge", value: 1 } };
		const missing = await watchQuestion("static-paths-of-epg", fields);
		expect([missing.status, Object.keys(missing.body)]).toEqual([400, ["variable_values"]]);
		const { status, body, text } = await watchQuestion("static-paths-of-epg", {
			...fields,
			variable_values: { epg: "web" },
		});
		expect(status, text).toBe(201);
		expect(body).toMatchObject({ type: "row_count", is_watched: false });
		const query = await ada.api.get(`${QUERIES}${body.saved_query}/`);
		expect(query.body.variables).toMatchObject([{ id: "epg", defaultValue: "web" }]);
	});

	it("shows a public check and its query to all users", async () => {
		const bob = await runs.t.user("bob", ["Viewer"]);
		const fields = { name: "Shared flooding", notify: { user_ids: [bob.id] } };
		const refused = await watchQuestion("bds-with-flooding", fields);
		expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["notify.user_ids"]]);
		const { status, body, text } = await watchQuestion("bds-with-flooding", { ...fields, is_public: true });
		expect(status, text).toBe(201);
		expect((await bob.api.get(`${CHECKS}${body.id}/`)).status).toBe(200);
		const template = { is_public: true, notify: { user_ids: [bob.id] } };
		const install = (more: object) => ada.api.post(`${CHECKS}templates/fan-trays-ok/install/`, more);
		expect((await install({})).status).toBe(201);
		const installed = await install(template);
		expect(installed.status, installed.text).toBe(201);
		expect((await bob.api.get(`${QUERIES}${installed.body.saved_query}/`)).status).toBe(200);
	});

	it("makes nothing where a field is refused, and names the field", async () => {
		const kim = await runs.t.user("kim", ["Editor"]);
		const own = await addConnection(kim.api, runs.lab);
		const base = { name: "Refused", controller_connection_ids: [own], schedule: HOURLY };
		const refusals = [
			[{ ...base, name: " " }, "name"],
			[{ ...base, controller_connection_ids: [] }, "controller_connection_ids"],
			[{ ...base, schedule: { frequency: "minutes" } }, "schedule.interval_minutes"],
			[{ ...base, type: "row_count" }, "config.operator"],
			[{ ...base, notify: { addresses: ["a@elsewhere.example.org"] } }, "notify.addresses"],
		] as const;
		for (const [fields, path] of refusals) {
			const { status, body } = await watchQuestion("bds-with-flooding", fields, kim);
			expect([status, Object.keys(body)]).toEqual([400, expect.arrayContaining([path])]);
		}
		expect((await watchQuestion("no-such-question", base, kim)).status).toBe(404);
		for (const missing of ["add_savedquery", "add_scheduledtask"]) {
			const rights = ["view_check", "add_check", "add_savedquery", "add_scheduledtask"];
			await setRights(runs.t, kim, { permissions: rights.filter((right) => right !== missing) });
			const { status, body } = await watchQuestion("bds-with-flooding", base, kim);
			expect([status, body.detail]).toEqual([403, expect.stringContaining(missing)]);
		}
		for (const table of ["checks", "saved_queries", "scheduled_tasks"]) {
			const { rows } = await runs.t.pool.query(`select from ${table} where owner_id = $1`, [kim.id]);
			expect(rows).toEqual([]);
		}
	});

	it("refuses the name of another query of the caller", async () => {
		const fields = { name: "Flooding twice" };
		expect((await watchQuestion("bds-with-flooding", fields)).status).toBe(201);
		const { status, body } = await watchQuestion("bds-with-flooding", fields);
		expect([status, Object.keys(body)]).toEqual([400, ["name"]]);
	});
});

describe("the people whom a check can name", () => {
	const listNames = async (search: string, user = ada): Promise<string[]> => {
		const { status, body, text } = await user.api.get(`${RECIPIENTS}?page_size=200&${search}`);
		expect(status, text).toBe(200);
		expect(body.count).toBe(body.results.length);
		return body.results.map(({ username }: { username: string }) => username);
	};

	it("lists administrators for a private check, and all users for a public one", async () => {
		const lena = await runs.t.user("lena", ["Viewer"]);
		expect(await listNames("")).not.toContain("lena");
		expect(await listNames("")).toContain(runs.t.admin.username);
		expect(await listNames("is_public=true")).toContain("lena");
		expect(await listNames("is_public=true&search=LEN")).toEqual(["lena"]);
		await runs.t.pool.query("update users set is_active = false where id = $1", [lena.id]);
		expect(await listNames("is_public=true&search=lena")).toEqual([]);
	});

	it("lists people who see the query of a public check", async () => {
		const mia = await runs.t.user("mia", ["Viewer"]);
		const { body } = await watchQuestion("bds-with-flooding", { name: "Seen by one" });
		const search = `is_public=true&search=mia&saved_query=${body.saved_query}`;
		expect(await listNames(search)).toEqual([]);
		await ada.api.patch(`${QUERIES}${body.saved_query}/`, { shared_with: [mia.id] });
		expect(await listNames(search)).toEqual(["mia"]);
		const nora = await runs.t.user("nora", ["Editor"]);
		expect((await nora.api.get(`${RECIPIENTS}?saved_query=${body.saved_query}`)).status).toBe(400);
	});
});
