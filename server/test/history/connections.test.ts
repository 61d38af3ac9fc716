/** A query that runs on several connections: each has snapshots of its own. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
let queryId: string;
let A: string;
let B: string;

beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
	const made = await ada.api.post("/api/queries/saved-queries/", {
		name: "both fabrics",
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
	});
	queryId = made.body.id;
	const connect = async (name: string): Promise<string> => {
		const body = { name, url: "https://apic.example.com", username: "admin", password: "planted" };
		return (await ada.api.post("/api/controller/connections/", body)).body.id;
	};
	[A, B] = [await connect("fabric a"), await connect("fabric b")];
	for (const [connection, name, dn] of [
		[A, "fabric a", "uni/tn-a"],
		[B, "fabric b", "uni/tn-b"],
		[A, "fabric a", "uni/tn-a"],
		[null, "by name", "uni/tn-c"],
	]) {
		await t.clock.advance(1000);
		const { body } = await ada.api.post(`${TM}capture/`, {
			saved_query_id: queryId,
			controller_connection_id: connection,
			controller_connection_name: name,
			result_data: { imdata: [{ fvTenant: { attributes: { dn, at: String(t.clock.now()) } } }] },
		});
		expect(body).toHaveProperty("snapshot_id");
	}
});
afterAll(() => t.close());

const buildConnectionParam = (connection: string) => `&controller_connection_id=${connection}`;
const getBody = async (path: string) => (await ada.api.get(`${TM}${path}`)).body;

it("the list names the connections, and is limited to one", async () => {
	const all = await getBody(`snapshots/?saved_query_id=${queryId}`);
	expect(all.total_count).toBe(4);
	expect(all.controllers).toEqual([
		{ controller_connection_id: null, controller_connection_name: "by name" },
		{ controller_connection_id: A, controller_connection_name: "fabric a" },
		{ controller_connection_id: B, controller_connection_name: "fabric b" },
	]);
	const one = await getBody(`snapshots/?saved_query_id=${queryId}${buildConnectionParam(A)}`);
	expect(one.total_count).toBe(2);
	expect(one.controllers).toEqual(all.controllers);
	const names = one.snapshots.map(
		(snapshot: { controller_connection_id: string }) => snapshot.controller_connection_id,
	);
	expect(names).toEqual([A, A]);
});

it("the heatmap counts the snapshots of one, also after it counted all", async () => {
	const counted = async (more = "") => {
		const { data } = await getBody(`heatmap/?saved_query_id=${queryId}${more}`);
		return Object.values(data as Record<string, { count: number }>).reduce((sum, { count }) => sum + count, 0);
	};
	expect([await counted(), await counted(buildConnectionParam(A)), await counted(buildConnectionParam(B))]).toEqual([
		4, 2, 1,
	]);
});

it("ends the heatmap's twelve months, or 30 days by the hour, with a day, and gives each connection a lane", async () => {
	const now = new Date(t.clock.now()).toISOString();
	const [day, hour] = [now.slice(0, 10), now.slice(0, 13)];
	const createLane = (key: string, id: string | null, name: string, count: number, changes: number) => ({
		controller_connection_id: id,
		controller_connection_name: name,
		data: { [key]: { count, has_changes: changes > 0, changes } },
	});
	const listLanes = (key: string) => [
		createLane(key, null, "by name", 1, 0),
		createLane(key, A, "fabric a", 2, 1),
		createLane(key, B, "fabric b", 1, 0),
	];
	const months = await getBody(`heatmap/?saved_query_id=${queryId}&until=${day}&by_connection=true`);
	expect(months).toMatchObject({ year: Number(day.slice(0, 4)), last: day, data: { [day]: { count: 4 } } });
	expect(Object.keys(months.data)).toHaveLength(365);
	expect(months.connections).toEqual(listLanes(day));
	const hours = await getBody(`heatmap/?saved_query_id=${queryId}&step=hour&by_connection=true`);
	expect(Object.keys(hours.data)).toHaveLength(720);
	expect(hours.data[hour]).toEqual({ count: 4, has_changes: true, changes: 1 });
	expect(hours.connections).toEqual(listLanes(hour));
	expect(await getBody(`heatmap/?saved_query_id=${queryId}`)).not.toHaveProperty("connections");
});

it("a timeline of one does not take an object for deleted that another never had", async () => {
	const present = async (more = "") => {
		const { points } = await getBody(`timeline/?saved_query_id=${queryId}&dn=uni/tn-a${more}`);
		return points.map((point: { present: boolean }) => point.present);
	};
	expect(await present()).toEqual([true, false, true, false]);
	expect(await present(buildConnectionParam(A))).toEqual([true, true]);
});

it("dns are completed from the snapshots of one", async () => {
	const dns = async (more = "") =>
		(await getBody(`saved-queries/${queryId}/dns/?q=uni${more}`)).dns.map(({ dn }: { dn: string }) => dn);
	expect(await dns()).toEqual(["uni/tn-a", "uni/tn-b", "uni/tn-c"]);
	expect(await dns(buildConnectionParam(B))).toEqual(["uni/tn-b"]);
});

it.each(["snapshots/", "heatmap/", "timeline/"])("%s refuses what is no connection's id", async (path) => {
	const search = `?saved_query_id=${queryId}&dn=uni&controller_connection_id=7`;
	expect((await ada.api.get(`${TM}${path}${search}`)).status).toBe(400);
});
