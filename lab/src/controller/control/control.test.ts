import { describe, expect, it } from "vitest";
import { listDns, useTestClient } from "../testing.ts";

const client = await useTestClient();

const readObjects = async () =>
	new Map(
		(await client.get("/api/mo/uni.json?query-target=subtree&query-target-filter=true()")).imdata.map((item) => [
			Object.values(item)[0]?.attributes.dn ?? "",
			JSON.stringify(item),
		]),
	);

describe("/_lab/advance", () => {
	it("drifts, and tells exactly which objects", async () => {
		const before = await readObjects();
		const { status, body } = await client.lab("POST", "advance", { steps: 3, change_rate: 0.05 });
		const after = await readObjects();
		expect(status).toBe(200);
		const inTree = (dns: unknown) => (dns as string[]).filter((dn) => before.has(dn) || after.has(dn));
		const changed = [...before].filter(([dn, text]) => after.has(dn) && after.get(dn) !== text).map(([dn]) => dn);
		expect(inTree(body.deleted)).toEqual([...before.keys()].filter((dn) => !after.has(dn)).sort());
		expect(inTree(body.created)).toEqual([...after.keys()].filter((dn) => !before.has(dn)).sort());
		// An attribute may change and change back; every remaining difference is reported.
		expect(changed.filter((dn) => !inTree(body.changed).includes(dn))).toEqual([]);
		expect(changed.length).toBeGreaterThan(0);
		expect(body.counts).toEqual({
			changed: (body.changed as string[]).length,
			created: (body.created as string[]).length,
			deleted: (body.deleted as string[]).length,
			volatile: (body.volatile as string[]).length,
		});
	});

	it("is the same each time from the same start", () => {
		const one = client.controller.advance({ steps: 4, change_rate: 0.1 });
		client.controller.reset();
		expect(client.controller.advance({ steps: 4, change_rate: 0.1 })).toEqual(one);
	});

	it("without a rate only moves clocks and counters", async () => {
		const before = await readObjects();
		const report = client.controller.advance({ steps: 1, change_rate: 0 });
		expect(report).toMatchObject({ changed: [], created: [], deleted: [] });
		expect(report.volatile).toContain("topology/pod-1/node-101/sys");
		const times = (await client.get("/api/class/topSystem.json")).imdata.map(
			({ topSystem }) => topSystem?.attributes.currentTime,
		);
		expect(new Set(times)).toEqual(new Set([report.now]));
		expect(await readObjects()).toEqual(before);
	});

	it.each([{ steps: -1 }, { steps: 1.5 }, { steps: 1001 }, { change_rate: 2 }, { change_rate: "much" }])(
		"refuses %j",
		async (body) => {
			expect((await client.lab("POST", "advance", body)).status).toBe(400);
		},
	);

	it("refuses what is not JSON", async () => {
		expect((await fetch(`${client.controller.url}/_lab/advance`, { method: "POST", body: "{" })).status).toBe(400);
	});
});

describe("/_lab/", () => {
	it("health tells what is served, without a session", async () => {
		client.token = "";
		expect(await client.lab("GET", "health")).toEqual({
			status: 200,
			body: { status: "ok", size: "small", seed: 1, objects: 2313 },
		});
	});

	it("stats counts requests by kind and keeps the last ones", async () => {
		client.controller.resetStats();
		await client.login();
		await client.get("/api/class/fvBD.json");
		await client.get("/api/node/class/topology/pod-1/node-101/l1PhysIf.json");
		await client.get("/api/mo/uni.json");
		await client.get("/api/class/fvFoo.json");
		await client.request("DELETE", "/api/mo/uni/tn-none.json");
		await client.request("PUT", "/api/mo/uni.json", "");
		await client.get("/elsewhere");
		const { body } = await client.lab("GET", "stats");
		expect(body).toMatchObject({
			requests: 8,
			kinds: { aaaLogin: 1, class: 2, node_class: 1, mo: 1, delete: 1, other: 2 },
			statuses: { 200: 5, 400: 1, 404: 1, 405: 1 },
			logins: 1,
			concurrent: 0,
			maxConcurrent: 1,
		});
		expect((body.last as unknown[]).at(-1)).toEqual({ method: "GET", target: "/elsewhere", status: 404 });
	});

	it("stats shows how many requests were under way at once", async () => {
		client.controller.setFaults({ latency: { ms: 5, count: 6 } });
		await Promise.all(Array.from({ length: 6 }, () => client.get("/api/mo/uni.json")));
		expect(client.controller.stats().maxConcurrent).toBeGreaterThan(1);
	});

	it("objects loads a raw answer, nested objects included", async () => {
		const answer = {
			totalCount: "1",
			imdata: [
				{
					cnwThing: {
						attributes: { dn: "topology/pod-1/node-1/sys/thing-[a/b]", name: "x", speed: "10" },
						children: [
							{ cnwPart: { attributes: { rn: "part-1", size: "2" } } },
							// No rn: made from the naming properties.
							{ fvSubnet: { attributes: { ip: "10.0.0.1/24" } } },
						],
					},
				},
				{ moCount: { attributes: { count: "3", dn: "" } } },
			],
		};
		expect((await client.lab("POST", "objects", answer)).body).toEqual({ loaded: 3, skipped: 1 });
		expect(listDns(await client.get("/api/class/cnwPart.json"))).toEqual([
			"topology/pod-1/node-1/sys/thing-[a/b]/part-1",
		]);
		expect(
			listDns(await client.get('/api/class/cnwThing.json?query-target-filter=gt(cnwThing.speed,"9")')),
		).toHaveLength(1);
		expect(
			listDns(
				await client.get(
					"/api/mo/topology/pod-1/node-1/sys/thing-[a/b].json?query-target=children&target-subtree-class=fvSubnet",
				),
			),
		).toEqual(["topology/pod-1/node-1/sys/thing-[a/b]/subnet-[10.0.0.1/24]"]);
		expect((await client.lab("POST", "objects", { nothing: 1 })).status).toBe(400);
	});

	it("an object may be loaded again, with other attributes", async () => {
		client.controller.load([{ fvTenant: { attributes: { dn: "uni/tn-common", name: "common", descr: "loaded" } } }]);
		expect((await client.get("/api/mo/uni/tn-common.json")).imdata).toEqual([
			{ fvTenant: { attributes: { descr: "loaded", dn: "uni/tn-common", name: "common" } } },
		]);
		expect((await client.get("/api/class/fvTenant.json")).totalCount).toBe("7");
	});

	it("reset puts everything back", async () => {
		const before = await readObjects();
		await client.lab("POST", "faults", { busy: true });
		client.controller.advance({ steps: 2, change_rate: 0.5 });
		expect((await client.lab("POST", "reset")).status).toBe(200);
		expect((await client.get("/api/mo/uni.json")).status).toBe(403);
		await client.login();
		expect(await readObjects()).toEqual(before);
	});

	it("knows nothing else", async () => {
		expect((await fetch(`${client.controller.url}/_lab/nothing`)).status).toBe(404);
	});
});
