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
