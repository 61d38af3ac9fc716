import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listClasses, listDns, startTestClient, type TestAnswer, type TestClient } from "../testing.ts";

const TENANT = "uni/tn-Retail-01";
let client: TestClient;
let epg: string;

beforeAll(async () => {
	client = await startTestClient();
	epg = listDns(await client.get("/api/class/fvAEPg.json?order-by=fvAEPg.dn"))[0] ?? "";
});
afterAll(() => client.close());

const getAnswer = (path: string) => client.get(path);
const listNestedItems = (answer: TestAnswer) =>
	answer.imdata.flatMap((item) => Object.values(item).flatMap(({ children = [] }) => children));
const listNestedClasses = (answer: TestAnswer) =>
	[...new Set(listNestedItems(answer).flatMap((child) => Object.keys(child)))].sort();

describe("scope", () => {
	it("mo/ gives one object, node/mo/ the same", async () => {
		const answer = await getAnswer(`/api/mo/${TENANT}.json`);
		expect(listDns(answer)).toEqual([TENANT]);
		expect((await getAnswer(`/api/node/mo/${TENANT}.json`)).text).toBe(answer.text);
	});

	it("a DN that is not there is 200 and nothing", async () => {
		expect(await getAnswer("/api/mo/uni/tn-none/BD-none.json")).toMatchObject({
			status: 200,
			text: '{"totalCount":"0","imdata":[]}',
		});
	});

	it("class/ gives all objects of a class, node/class/ the same", async () => {
		const answer = await getAnswer("/api/class/fvBD.json?order-by=fvBD.dn");
		expect(answer.totalCount).toBe("20");
		expect(new Set(listClasses(answer))).toEqual(new Set(["fvBD"]));
		expect((await getAnswer("/api/node/class/fvBD.json?order-by=fvBD.dn")).text).toBe(answer.text);
	});

	it("an abstract class gives the objects of all its descendants", async () => {
		const answer = await getAnswer("/api/class/fvEPg.json");
		expect(new Set(listClasses(answer))).toEqual(new Set(["fvAEPg", "l3extInstP"]));
		expect(listClasses(await getAnswer("/api/class/faultInfo.json")).sort()).toEqual(
			expect.arrayContaining(["faultDelegate", "faultInst"]),
		);
	});

	it("a class query may be scoped to one node, with or without node/", async () => {
		const answer = await getAnswer("/api/node/class/topology/pod-1/node-101/l1PhysIf.json?order-by=l1PhysIf.dn");
		expect(answer.totalCount).toBe("12");
		expect(listDns(answer).every((dn) => dn.startsWith("topology/pod-1/node-101/"))).toBe(true);
		expect((await getAnswer("/api/class/topology/pod-1/node-101/l1PhysIf.json?order-by=l1PhysIf.dn")).text).toBe(
			answer.text,
		);
	});

	it("a class known by name only is valid and empty", async () => {
		expect(await getAnswer("/api/class/fvIfConn.json")).toMatchObject({ status: 200, totalCount: "0" });
	});

	it("query-target chooses children or the subtree, target-subtree-class some of them", async () => {
		const children = await getAnswer(`/api/mo/${TENANT}.json?query-target=children`);
		expect(listDns(children).every((dn) => dn.split("/").length === 3 || dn.includes("["))).toBe(true);
		const subtree = await getAnswer(`/api/mo/${TENANT}.json?query-target=subtree`);
		expect(listDns(subtree)).toContain(TENANT);
		expect(subtree.imdata.length).toBeGreaterThan(children.imdata.length);
		const some = await getAnswer(`/api/mo/${TENANT}.json?query-target=subtree&target-subtree-class=fvEPg,fvCtx`);
		expect(new Set(listClasses(some))).toEqual(new Set(["fvAEPg", "l3extInstP", "fvCtx"]));
		const below = await getAnswer("/api/class/fvTenant.json?query-target=subtree&target-subtree-class=fvBD");
		expect(below.totalCount).toBe("20");
	});

	it("on a class query the target classes are added to it", async () => {
		expect(new Set(listClasses(await getAnswer("/api/class/fvBD.json?target-subtree-class=fvCtx")))).toEqual(
			new Set(["fvBD", "fvCtx"]),
		);
	});

	it("statistics are in a subtree only when their class is named", async () => {
		const port = "topology/pod-1/node-101/sys/phys-[eth1/1]";
		expect(listClasses(await getAnswer(`/api/mo/${port}.json?query-target=subtree`))).not.toContain("eqptEgrTotal5min");
		expect(
			listClasses(await getAnswer(`/api/mo/${port}.json?query-target=subtree&target-subtree-class=eqptEgrTotal5min`)),
		).toEqual(["eqptEgrTotal5min"]);
	});

	it("tag/ gives the objects that carry a tag", async () => {
		await client.request("POST", `/api/mo/${TENANT}/tag-red.json`, { tagInst: { attributes: { name: "red" } } });
		expect(listDns(await getAnswer("/api/tag/red.json"))).toEqual([TENANT]);
		await client.request("DELETE", `/api/mo/${TENANT}/tag-red.json`);
		expect((await getAnswer("/api/tag/red.json")).totalCount).toBe("0");
	});
});

describe("filters and order", () => {
	it("a filter applies to every object of a subtree, and to the count", async () => {
		const answer = await getAnswer(
			`/api/mo/${TENANT}.json?query-target=subtree&query-target-filter=or(eq(fvBD.name,"bd-001"),eq(fvCtx.name,"vrf-01"))`,
		);
		expect(listDns(answer).sort()).toEqual([`${TENANT}/BD-bd-001`, `${TENANT}/ctx-vrf-01`]);
		expect(answer.totalCount).toBe("2");
	});

	it("order-by sorts by type, in either direction, by several keys", async () => {
		const answer = await getAnswer("/api/class/vzEntry.json?order-by=vzEntry.dFromPort|desc,vzEntry.dn");
		const ports = answer.imdata.map(({ vzEntry }) => vzEntry?.attributes.dFromPort ?? "");
		const rank: Record<string, number> = { unspecified: 0, ssh: 22, dns: 53, http: 80, https: 443 };
		const numbers = ports.map((port) => rank[port] ?? Number(port));
		expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
		const first = listDns(answer).filter((_dn, at) => ports[at] === ports[0]);
		expect(first).toEqual([...first].sort());
	});

	it("an order by a class that no result is of orders nothing", async () => {
		const [one, two] = [
			await getAnswer("/api/class/fvCEp.json?order-by=fvBD.dn&page-size=1000"),
			await getAnswer("/api/class/fvCEp.json?order-by=fvBD.dn&page-size=1000"),
		];
		expect(listDns(one)).not.toEqual(listDns(two));
	});

	it("time-range keeps records of that time", async () => {
		const all = Number((await getAnswer("/api/class/aaaModLR.json?page-size=1")).totalCount);
		const week = Number((await getAnswer("/api/class/aaaModLR.json?page-size=1&time-range=1week")).totalCount);
		expect(week).toBeGreaterThan(0);
		expect(week).toBeLessThan(all);
		expect((await getAnswer("/api/class/aaaModLR.json?page-size=1&time-range=2001-01-01|2001-01-31")).totalCount).toBe(
			"0",
		);
	});
});

describe("nesting", () => {
	it("nested objects carry rn and no dn", async () => {
		const answer = await getAnswer(`/api/mo/${TENANT}.json?rsp-subtree=children&rsp-subtree-class=fvCtx`);
		expect(listNestedClasses(answer)).toEqual(["fvCtx"]);
		for (const child of listNestedItems(answer)) {
			expect(child.fvCtx?.attributes.rn).toMatch(/^ctx-vrf-/);
			expect(child.fvCtx?.attributes).not.toHaveProperty("dn");
		}
	});

	it("full nests everything, with the ancestors of what a class list keeps", async () => {
		const answer = await getAnswer(`/api/mo/${TENANT}.json?rsp-subtree=full&rsp-subtree-class=fvSubnet`);
		expect(listNestedClasses(answer)).toEqual(["fvBD"]);
		const [bd] = listNestedItems(answer);
		expect(bd?.fvBD?.children?.flatMap((child) => Object.keys(child))).toEqual(["fvSubnet"]);
	});

	it("abstract classes may be named, and the option repeated", async () => {
		const relations = await getAnswer(
			`/api/mo/${TENANT}/BD-bd-001.json?rsp-subtree=children&rsp-subtree-class=relnFrom&rsp-subtree-class=relnTo`,
		);
		expect(listNestedClasses(relations)).toEqual([
			"fvRsBDToNdP",
			"fvRsBdToEpRet",
			"fvRsCtx",
			"fvRsIgmpsn",
			"fvRsMldsn",
			"fvRtBd",
		]);
	});

	it("rsp-subtree-filter keeps some, and required drops results without any", async () => {
		const filter = 'rsp-subtree=full&rsp-subtree-filter=eq(vzEntry.name,"ssh-1")';
		const loose = await getAnswer(`/api/class/vzFilter.json?${filter}`);
		expect(loose.totalCount).toBe("12");
		const strict = await getAnswer(`/api/class/vzFilter.json?${filter}&rsp-subtree-include=required`);
		expect(strict.totalCount).toBe(String(listNestedItems(loose).length));
		expect(strict.imdata.length).toBe(listNestedItems(loose).length);
	});

	it("rsp-subtree-filter on the results' own class is refused", async () => {
		expect(
			(await getAnswer('/api/class/fvBD.json?rsp-subtree=children&rsp-subtree-filter=eq(fvBD.name,"x")')).error.code,
		).toBe("301");
		expect(
			(
				await getAnswer(
					'/api/class/fvBD.json?rsp-subtree=children&rsp-subtree-class=fvSubnet&rsp-subtree-filter=eq(fvRsCtx.rn,"x")',
				)
			).error.code,
		).toBe("301");
	});

	it("faults, health and statistics are nested only on demand", async () => {
		const plain = await getAnswer(`/api/mo/${epg}.json?rsp-subtree=full`);
		expect(listNestedClasses(plain)).not.toContain("healthInst");
		expect(listNestedClasses(plain)).not.toContain("l2IngrPktsAg15min");
		expect(listNestedClasses(await getAnswer(`/api/mo/${epg}.json?rsp-subtree-include=health`))).toEqual([
			"healthInst",
		]);
		expect(listNestedClasses(await getAnswer(`/api/mo/${epg}.json?rsp-subtree-include=stats`))).toEqual([
			"l2IngrPktsAg15min",
		]);
		expect(listNestedClasses(await getAnswer(`/api/mo/${epg}.json?rsp-subtree-include=health,fault-count`))).toEqual([
			"faultCounts",
			"healthInst",
		]);
		const mixed = await getAnswer(
			`/api/mo/${epg}.json?rsp-subtree=children&rsp-subtree-include=health&rsp-subtree-class=fvRsBd,healthInst`,
		);
		expect(listNestedClasses(mixed)).toEqual(["fvRsBd", "healthInst"]);
	});

	it("relations are the relation objects", async () => {
		expect(
			listNestedClasses(await getAnswer(`/api/mo/${TENANT}/BD-bd-001.json?rsp-subtree-include=relations`)),
		).toEqual(["fvRsBDToNdP", "fvRsBdToEpRet", "fvRsCtx", "fvRsIgmpsn", "fvRsMldsn", "fvRtBd"]);
	});
});

describe("facets", () => {
	it("no-scoped answers the facet's objects flat, with their DN; subtree looks deeper", async () => {
		const faults = await getAnswer("/api/mo/uni.json?rsp-subtree-include=faults,no-scoped,subtree");
		expect(faults.imdata.length).toBeGreaterThan(0);
		expect(faults.totalCount).toBe(String(faults.imdata.length));
		for (const cls of listClasses(faults)) expect(["faultInst", "faultDelegate"]).toContain(cls);
		expect((await getAnswer("/api/mo/uni.json?rsp-subtree-include=faults,no-scoped")).totalCount).toBe("0");
	});

	it("fault-count sums the faults below by severity", async () => {
		const [counts] = listNestedItems(await getAnswer("/api/mo/uni.json?rsp-subtree-include=fault-count"));
		const critical = await getAnswer('/api/class/faultInfo.json?query-target-filter=eq(faultInfo.severity,"warning")');
		const below = listDns(critical).filter((dn) => dn.startsWith("uni/"));
		expect(counts?.faultCounts?.attributes).toMatchObject({ warn: String(below.length), rn: "fltCnts" });
	});

	it("required keeps objects with faults only", async () => {
		const answer = await getAnswer("/api/class/fvAEPg.json?rsp-subtree-include=faults,required");
		expect(answer.imdata.length).toBeGreaterThan(0);
		expect(answer.imdata.length).toBeLessThan(40);
		expect(answer.totalCount).toBe(String(answer.imdata.length));
		expect(answer.imdata.every(({ fvAEPg }) => fvAEPg?.children !== undefined)).toBe(true);
	});

	it("log records are found by what they are about, flat and nested with their DN", async () => {
		const flat = await getAnswer(
			`/api/mo/${TENANT}.json?rsp-subtree-include=audit-logs,no-scoped,subtree&order-by=aaaModLR.created|desc&page=0&page-size=5`,
		);
		expect(flat.imdata).toHaveLength(5);
		expect(Number(flat.totalCount)).toBeGreaterThan(5);
		const times = flat.imdata.map(({ aaaModLR }) => Date.parse(aaaModLR?.attributes.created ?? ""));
		expect(times).toEqual([...times].sort((a, b) => b - a));
		for (const { aaaModLR } of flat.imdata) expect(aaaModLR?.attributes.affected).toMatch(/^uni\/tn-Retail-01/);
		const kept = listNestedItems(await getAnswer(`/api/mo/${TENANT}.json?rsp-subtree-include=audit-logs,subtree`));
		expect(String(kept.length)).toBe(flat.totalCount);
		for (const { aaaModLR } of kept) expect(aaaModLR?.attributes.dn).toMatch(/^subj-\[uni\/tn-Retail-01/);
		const ofClass = await getAnswer("/api/class/fvTenant.json?rsp-subtree-include=event-logs,no-scoped,subtree");
		expect(new Set(listClasses(ofClass))).toEqual(new Set(["eventRecord"]));
	});

	it("count replaces the answer by one moCount", async () => {
		expect((await getAnswer("/api/class/fvBD.json?rsp-subtree-include=count")).text).toBe(
			'{"totalCount":"1","imdata":[{"moCount":{"attributes":{"childAction":"","count":"20","dn":"","status":""}}}]}',
		);
	});

	it("facets the simulator has no objects for are accepted", async () => {
		expect(
			(await getAnswer(`/api/mo/${epg}.json?rsp-subtree-include=full-deployment&target-node=all&target-path=ApToNwIf`))
				.totalCount,
		).toBe("1");
	});
});

describe("projection", () => {
	it("config-only keeps dn, naming and configurable properties; nested objects have neither dn nor rn", async () => {
		const answer = await getAnswer(
			`/api/mo/${TENANT}/BD-bd-001.json?rsp-prop-include=config-only&rsp-subtree=children&rsp-subtree-class=fvRsCtx`,
		);
		const { fvBD } = answer.imdata[0] ?? {};
		expect(fvBD?.attributes).toMatchObject({ dn: `${TENANT}/BD-bd-001`, name: "bd-001", arpFlood: expect.any(String) });
		for (const gone of ["modTs", "uid", "lcOwn", "status", "childAction", "pcTag", "seg"])
			expect(fvBD?.attributes).not.toHaveProperty(gone);
		expect(Object.keys(listNestedItems(answer)[0]?.fvRsCtx?.attributes ?? {}).sort()).toEqual([
			"annotation",
			"tnFvCtxName",
			"userdom",
		]);
	});

	it("naming-only keeps dn and naming properties", async () => {
		const answer = await getAnswer(`/api/mo/${TENANT}/BD-bd-001.json?rsp-prop-include=naming-only`);
		expect(answer.imdata[0]?.fvBD?.attributes).toEqual({ dn: `${TENANT}/BD-bd-001`, name: "bd-001" });
	});

	it("set-config-only leaves out what has its initial value", async () => {
		const answer = await getAnswer(`/api/mo/${TENANT}/BD-bd-001.json?rsp-prop-include=set-config-only`);
		expect(Object.keys(answer.imdata[0]?.fvBD?.attributes ?? {})).not.toContain("mac");
	});

	it("all values are strings, and attributes come in the order of their names", async () => {
		const answer = await getAnswer("/api/class/topSystem.json");
		for (const { topSystem } of answer.imdata) {
			const names = Object.keys(topSystem?.attributes ?? {});
			expect(names).toEqual([...names].sort());
			expect(Object.values(topSystem?.attributes ?? {}).every((value) => typeof value === "string")).toBe(true);
		}
	});
});

describe("options", () => {
	it("that are unknown are ignored", async () => {
		expect((await getAnswer(`/api/mo/${TENANT}.json?replica=2&_dc=1&colour=red`)).totalCount).toBe("1");
	});

	it.each([
		"query-target=all",
		"rsp-subtree=some",
		"rsp-prop-include=none",
		"rsp-subtree-include=everything",
		"order-by=fvBD.dn|up",
		"page-size=x",
		"page-size=0",
		"page=-1&page-size=5",
		"time-range=soon",
		"subscription=maybe",
	])("a value that a known option does not have is refused: %s", async (option) => {
		expect(await getAnswer(`/api/class/fvBD.json?${option}`)).toMatchObject({ status: 400, error: { code: "400" } });
	});

	it("classes in options must exist", async () => {
		expect((await getAnswer("/api/class/fvBD.json?order-by=fvFoo.dn")).error.code).toBe("122");
		expect((await getAnswer("/api/class/fvBD.json?order-by=fvBD.foo")).error.code).toBe("121");
		expect((await getAnswer("/api/class/fvBD.json?rsp-subtree=children&rsp-subtree-class=fvFoo")).error.text).toBe(
			"Request failed, unresolved class for fvFoo",
		);
		expect((await getAnswer("/api/class/fvBD.json?target-subtree-class=fvFoo")).error.code).toBe("400");
	});
});
