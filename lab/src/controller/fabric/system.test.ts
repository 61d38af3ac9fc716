/** The fabric's own state: cluster members, health, firmware, chassis, links; and fault codes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listDns, startTestClient, type TestClient } from "../testing.ts";

let client: TestClient;

beforeAll(async () => {
	client = await startTestClient();
});
afterAll(() => client.close());

const listObjects = async (cls: string) =>
	(await client.get(`/api/class/${cls}.json?order-by=${cls}.dn`)).imdata.map((item) => item[cls]?.attributes ?? {});

describe("the system", () => {
	it("each member of the cluster sees every member", async () => {
		const views = await listObjects("infraWiNode");
		expect(views.map(({ dn }) => dn)).toEqual(
			[1, 2, 3].flatMap((viewer) => [1, 2, 3].map((seen) => `topology/pod-1/node-${viewer}/av/node-${seen}`)),
		);
		const nodes = new Map((await listObjects("fabricNode")).map((node) => [node.id, node]));
		for (const view of views)
			expect(view).toMatchObject({
				nodeName: `apic${view.id}`,
				addr: nodes.get(view.id)?.address,
				mbSn: nodes.get(view.id)?.serial,
				podId: "1",
				apicMode: "active",
				operSt: "available",
				health: "fully-fit",
				adminSt: "in-service",
			});
		expect((await listObjects("infraCont"))[0]).toMatchObject({
			dn: "topology/pod-1/node-1/av",
			fbDmNm: "weft-fabric",
		});
	});

	it("the fabric and its pod have a health of their own", async () => {
		expect((await listObjects("fabricHealthTotal")).map(({ dn }) => dn)).toEqual([
			"topology/health",
			"topology/pod-1/health",
		]);
		const [health] = (await client.get("/api/mo/topology/health.json")).imdata;
		expect(Number(health?.fabricHealthTotal?.attributes.cur)).toBeGreaterThan(80);
		const [topology] = (await client.get("/api/mo/topology.json?rsp-subtree-include=health")).imdata;
		expect(topology?.fabricTopology?.children?.[0]).toHaveProperty("fabricHealthTotal");
	});

	it("each switch runs a firmware, and each node has a chassis", async () => {
		const running = await listObjects("firmwareRunning");
		expect(running).toHaveLength(6);
		for (const { dn, version, peVer } of running) {
			expect(dn).toMatch(/^topology\/pod-1\/node-\d+\/sys\/fwstatuscont\/running$/);
			expect({ version, peVer }).toEqual({ version: "n9000-16.0(9c)", peVer: "6.0(9c)" });
		}
		const chassis = await listObjects("eqptCh");
		const nodes = new Map((await listObjects("fabricNode")).map((node) => [node.dn, node]));
		expect(chassis).toHaveLength(nodes.size);
		for (const { dn, ser, model } of chassis) {
			const node = nodes.get(dn?.replace(/\/sys\/ch$/, ""));
			expect({ ser, model }).toEqual({ ser: node?.serial, model: node?.model });
		}
	});

	it("each cable is a link between a leaf and a spine", async () => {
		const links = await listObjects("fabricLink");
		expect(links).toHaveLength(8);
		for (const { dn, n1, n2, s1, s2, p1, p2, linkState } of links) {
			expect(dn).toBe(`topology/pod-1/lnkcnt-${n2}/lnk-${n1}-${s1}-${p1}-to-${n2}-${s2}-${p2}`);
			expect(linkState).toBe("ok");
			const port = `topology/pod-1/node-${n1}/sys/phys-[eth${s1}/${p1}]`;
			expect(listDns(await client.get(`/api/mo/${port}.json`))).toEqual([port]);
			const [neighbour] = (
				await client.get(`/api/mo/topology/pod-1/node-${n1}/sys/lldp/inst/if-[eth${s1}/${p1}]/adj-1.json`)
			).imdata;
			expect(neighbour?.lldpAdjEp?.attributes.sysDesc).toBe(`topology/pod-1/node-${n2}`);
		}
	});
});

describe("fault codes", () => {
	const by = (code: string, cls = "faultInst") =>
		client.get(`/api/class/${cls}.json?query-target-filter=eq(${cls}.code,"${code}")`);

	it.each(["F0020", "F0321", "F1386", "F3545", "F96976", "F110473", "F381328", "F0000"])(
		"%s is one, whether or not it is raised",
		async (code) => {
			expect(await by(code)).toMatchObject({ status: 200 });
			expect(await by(code, "faultInfo")).toMatchObject({ status: 200 });
			expect(await by(code, "faultRecord")).toMatchObject({ status: 200 });
		},
	);

	it.each(["F999999", "F123", "F00467", "F1234567", "0467", "f0467", "fault"])("%s is none", async (code) => {
		expect(await by(code)).toMatchObject({
			status: 400,
			error: { code: "301", text: `Incorrect filter format for faultInst.code, value '${code}' is not valid` },
		});
	});

	it("rank by their number", async () => {
		const codes = (await client.get("/api/class/faultInst.json?order-by=faultInst.code")).imdata.map(({ faultInst }) =>
			Number(faultInst?.attributes.code?.slice(1)),
		);
		expect(codes).toEqual([...codes].sort((a, b) => a - b));
		const high = await client.get('/api/class/faultInst.json?query-target-filter=gt(faultInst.code,"F9999")');
		expect(high.imdata.length).toBeGreaterThan(0);
		for (const { faultInst } of high.imdata) expect(faultInst?.attributes.code).toBe("F381328");
	});
});
