/**
 * Details of the simulated controller that stock clients rely on: objects that every controller
 * has, bodies, filters and options.
 */
import { describe, expect, it } from "vitest";
import { listDns, type TestAnswer, useTestClient } from "./testing.ts";

const client = await useTestClient();

const getFirstObject = (answer: Pick<TestAnswer, "imdata">) => Object.values(answer.imdata[0] ?? {})[0];

describe("objects that every controller has", () => {
	it.each([
		["comp", "compUni"],
		["comp/prov-VMware", "compProv"],
		["comp/prov-Kubernetes", "compProv"],
		["uni/vmmp-VMware", "vmmProvP"],
		["uni/infra/moninfra-default", "monInfraPol"],
		["uni/fabric/monfab-default", "monFabricPol"],
		["uni/fabric/moncommon", "monCommonPol"],
	])("has %s", async (dn, cls) => {
		const [found] = (await client.get(`/api/mo/${dn}.json`)).imdata;
		expect(Object.keys(found ?? {})).toEqual([cls]);
		expect(found?.[cls]?.attributes.dn).toBe(dn);
	});

	it("counts the faults below any object", async () => {
		const faults = await client.get(
			"/api/mo/uni.json?query-target=subtree&target-subtree-class=faultInst,faultDelegate",
		);
		const nested = await client.get("/api/mo/uni.json?rsp-subtree-include=fault-count");
		const counts = await client.get("/api/mo/uni/fltCnts.json");
		const { dn, ...values } = getFirstObject(counts)?.attributes ?? {};
		expect(dn).toBe("uni/fltCnts");
		expect(getFirstObject(nested)?.children?.[0]?.faultCounts?.attributes).toMatchObject(values);
		const sum = ["crit", "maj", "minor", "warn"].reduce((total, name) => total + Number(values[name]), 0);
		const counted = faults.imdata.filter(
			(item) => !["cleared", "info"].includes(getFirstObject({ imdata: [item] })?.attributes.severity ?? ""),
		);
		expect([sum, sum > 0]).toEqual([counted.length, true]);
		expect(await client.get("/api/mo/uni/tn-none/fltCnts.json")).toMatchObject({ status: 200, totalCount: "0" });
	});

	it.each(["order", "bd-001"])("has the implicit children of the network %s in their order", async (name) => {
		const dn = `uni/tn-Retail-01/BD-${name}`;
		if (name === "order") await client.request("POST", "/api/mo/uni.json", { fvBD: { attributes: { dn } } });
		const read = await client.get(`/api/mo/${dn}.json?rsp-subtree=children`);
		const children = getFirstObject(read)?.children?.flatMap((child) => Object.keys(child)) ?? [];
		expect(children.slice(0, 5)).toEqual(["fvRsMldsn", "fvRsIgmpsn", "fvRsCtx", "fvRsBdToEpRet", "fvRsBDToNdP"]);
	});

	it("gives the relations of a generated network the values that a written network has", async () => {
		const written = "uni/tn-Retail-01/BD-relations";
		await client.request("POST", "/api/mo/uni.json", { fvBD: { attributes: { dn: written } } });
		for (const rn of ["rsmldsn", "rsigmpsn", "rsbdToEpRet", "rsBDToNdP"]) {
			const [made, generated] = await Promise.all(
				[written, "uni/tn-Retail-01/BD-bd-001"].map(async (dn) => {
					const answer = await client.get(`/api/mo/${dn}/${rn}.json`);
					const { dn: _, modTs, uid, ...values } = getFirstObject(answer)?.attributes ?? {};
					expect([modTs, uid]).toEqual([expect.stringMatching(/^20/), expect.stringMatching(/^15/)]);
					return values;
				}),
			);
			expect(generated).toEqual(made);
			expect(generated?.tDn).toMatch(/^uni\/tn-common\//);
		}
	});

	it("gives an endpoint its first address", async () => {
		const read = await client.get(
			"/api/class/fvCEp.json?rsp-subtree=children&rsp-subtree-class=fvIp&page-size=5&page=0",
		);
		for (const item of read.imdata)
			expect(item.fvCEp?.attributes.ip).toBe(item.fvCEp?.children?.[0]?.fvIp?.attributes.addr);
		expect(read.imdata).toHaveLength(5);
	});

	it("has no upgrade of its connector under way, for a session", async () => {
		const answer = await client.request("GET", "/connector/UpgradeStatus");
		expect([answer.status, answer.text]).toEqual([200, "[]"]);
		client.token = "";
		expect((await client.request("GET", "/connector/UpgradeStatus")).status).toBe(403);
		await client.login();
	});
});

describe("a body", () => {
	const attributes = async (dn: string) => getFirstObject(await client.get(`/api/mo/${dn}.json`))?.attributes;

	it.each(["/api/mo.json", "/api/node/mo.json", "/api/mo/.json"])("is posted to %s, the root of all", async (path) => {
		const name = path.replaceAll(/\W/g, "-");
		const tree = { polUni: { attributes: {}, children: [{ fvTenant: { attributes: { name } } }] } };
		expect(await client.request("POST", path, tree)).toMatchObject({ status: 200 });
		expect(await attributes(`uni/tn-${name}`)).toMatchObject({ name });
		const named = { fvTenant: { attributes: { dn: `uni/tn-${name}2` } } };
		expect(await client.request("POST", path, named)).toMatchObject({ status: 200 });
		expect(await attributes(`uni/tn-${name}2`)).toBeDefined();
	});

	it("may be an answer that was read, in its envelope", async () => {
		const dn = "uni/tn-Retail-01/BD-bd-001";
		const nested = "rsp-subtree-class=fvSubnet,fvRsCtx";
		const read = await client.get(`/api/mo/${dn}.json?rsp-subtree=full&rsp-prop-include=config-only&${nested}`);
		await client.request("DELETE", `/api/mo/${dn}.json`);
		const posted = await client.request("POST", "/api/mo/uni.json", read.text);
		expect([posted.status, posted.error.text]).toEqual([200, undefined]);
		expect(await attributes(dn)).toMatchObject(getFirstObject(read)?.attributes ?? {});
		const two = { totalCount: "2", imdata: ["a", "b"].map((name) => ({ fvTenant: { attributes: { name } } })) };
		expect(await client.request("POST", "/api/mo/uni.json", two)).toMatchObject({ status: 200 });
		expect([await attributes("uni/tn-a"), await attributes("uni/tn-b")]).toEqual([
			expect.objectContaining({ name: "a" }),
			expect.objectContaining({ name: "b" }),
		]);
		const xml = '<?xml version="1.0"?><imdata totalCount="1"><fvTenant name="c"/></imdata>';
		expect(await client.request("POST", "/api/mo/uni.xml", xml)).toMatchObject({ status: 200 });
		expect(await attributes("uni/tn-c")).toBeDefined();
	});

	it("writes 0 and 1, numbers and JSON booleans for yes and no", async () => {
		const dn = "uni/tn-Retail-01/BD-flags";
		const body = { fvBD: { attributes: { dn, arpFlood: "1", unicastRoute: "0", ipLearning: 0, mcastAllow: true } } };
		expect(await client.request("POST", "/api/mo/uni.json", body)).toMatchObject({ status: 200 });
		expect(await attributes(dn)).toMatchObject({
			arpFlood: "yes",
			unicastRoute: "no",
			ipLearning: "no",
			mcastAllow: "yes",
		});
	});
});

describe("a filter on bit words", () => {
	const load = (usage: string, port: string) =>
		client.controller.load([
			{
				ethpmPhysIf: {
					attributes: { dn: `topology/pod-1/node-101/sys/phys-[${port}]/phys`, usage, operSt: "up" },
				},
			},
		]);
	const count = async (filter: string) =>
		(await client.get(`/api/class/ethpmPhysIf.json?query-target-filter=${filter}`)).totalCount;

	it("takes the number of the words, alone and combined", async () => {
		load("blacklist", "eth9/1");
		load("blacklist,epg", "eth9/2");
		load("blacklist,fabric,fabric-ext", "eth9/3");
		expect(await count('eq(ethpmPhysIf.usage,"32")')).toBe("1");
		expect(await count('eq(ethpmPhysIf.usage,"34")')).toBe("1");
		expect(await count('eq(ethpmPhysIf.usage,"292")')).toBe("1");
		expect(await count('bw(ethpmPhysIf.usage,"32","34")')).toBe("2");
		const script =
			'and(eq(ethpmPhysIf.operSt,"2"),or(eq(ethpmPhysIf.usage,"32"),eq(ethpmPhysIf.usage,"34"),' +
			'eq(ethpmPhysIf.usage,"36"),eq(ethpmPhysIf.usage,"292")))';
		expect(await count(script)).toBe("3");
		const unknown = await client.get('/api/class/ethpmPhysIf.json?query-target-filter=eq(ethpmPhysIf.usage,"1024")');
		expect(unknown.error.code).toBe("301");
	});

	it("knows blacklist without an object, and finds combined words in any order", async () => {
		expect(await count('eq(ethpmPhysIf.usage,"blacklist")')).toBe("0");
		expect(await count('anybit(ethpmPhysIf.usage,"blacklist")')).toBe("0");
		load("sfp-missing,epg", "eth9/4");
		expect(await count('eq(ethpmPhysIf.usage,"sfp-missing,epg")')).toBe("1");
		expect(await count('eq(ethpmPhysIf.usage,"epg,sfp-missing")')).toBe("1");
	});
});

describe("an option that is given twice", () => {
	it("counts as it was given last", async () => {
		const all = await client.get("/api/class/fvBD.json?order-by=fvBD.dn");
		const page = await client.get("/api/class/fvBD.json?order-by=fvBD.dn&page=7&page-size=2&page=0&page-size=1");
		expect(listDns(page)).toEqual(listDns(all).slice(0, 1));
		const filter = (name: string) => `query-target-filter=eq(fvTenant.name,"${name}")`;
		const two = await client.get(`/api/class/fvTenant.json?${filter("infra")}&${filter("common")}`);
		expect(listDns(two)).toEqual(["uni/tn-common"]);
	});
});
