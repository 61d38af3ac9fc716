/** Requests from scripts and collections as canvases: their plans send the same requests. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const IMPORT = "/api/queries/import-requests/";
const PLAN = "/api/queries/saved-queries/generate-query/";

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada", ["Editor"]);
});
afterAll(() => t.close());

const importRequests = async (body: unknown) => {
	const answer = await ada.api.post(IMPORT, body);
	expect(answer.status, answer.text).toBe(200);
	return answer.body.results;
};
/** The requests of a canvas's plan, decoded. */
const findPlan = async (flow_data: unknown): Promise<string[]> => {
	const { status, body, text } = await ada.api.post(PLAN, { flow_data });
	expect(status, text).toBe(200);
	return body.stages.map(({ preview_query }: { preview_query: string }) => decodeURIComponent(preview_query));
};

describe("a line", () => {
	it.each<[string, string, string[]]>([
		["/api/class/fvTenant.json", "/api/class/fvTenant.json?order-by=fvTenant.dn", []],
		["https://apic.example/api/node/class/fvBD.xml?", "/api/class/fvBD.json?order-by=fvBD.dn", []],
		[
			'GET https://apic/api/class/fvTenant.json?query-target-filter=eq(fvTenant.name,"prod")',
			"/api/mo/uni/tn-prod.json",
			[],
		],
		[
			"https://apic/api/class/fvTenant.json?query-target-filter=eq%28fvTenant.descr%2C%22a%20b%22%29&order-by=fvTenant.name%7Cdesc",
			'/api/class/fvTenant.json?query-target-filter=eq(fvTenant.descr,"a b")&order-by=fvTenant.name|desc,fvTenant.dn',
			[],
		],
		[
			'/api/class/fvBD.json?query-target-filter=and(wcard(fvBD.name,"^a"),or(eq(fvBD.arpFlood,"yes"),ne(fvBD.mtu,"9000")))',
			'/api/class/fvBD.json?query-target-filter=and(wcard(fvBD.name,"^a"),or(eq(fvBD.arpFlood,"yes"),ne(fvBD.mtu,"9000")))&order-by=fvBD.dn',
			[],
		],
		[
			'/api/class/fvBD.json?query-target-filter=or(and(eq(fvBD.name,"a"),gt(fvBD.mtu,"1")),not(eq(fvBD.name,"b")))',
			'/api/class/fvBD.json?query-target-filter=or(and(eq(fvBD.name,"a"),gt(fvBD.mtu,"1")),not(eq(fvBD.name,"b")))&order-by=fvBD.dn',
			[],
		],
		[
			'/api/class/eventRecord.json?query-target-filter=bw(eventRecord.created,"2026-01-01","2026-02-01")&time-range=24h',
			'/api/class/eventRecord.json?query-target-filter=bw(eventRecord.created,"2026-01-01","2026-02-01")&time-range=24h&order-by=eventRecord.dn',
			[],
		],
		[
			"/api/class/fvTenant.json?rsp-subtree-include=health,faults,ep-records&rsp-prop-include=naming-only&subscription=yes",
			"/api/class/fvTenant.json?rsp-subtree-include=health,faults&rsp-prop-include=naming-only&order-by=fvTenant.dn",
			["rsp-subtree-include=ep-records is not represented.", "subscription=yes is not represented."],
		],
		[
			"/api/mo/uni/tn-prod.json",
			'/api/class/fvTenant.json?query-target-filter=eq(fvTenant.dn,"uni/tn-prod")&order-by=fvTenant.dn',
			[],
		],
		["moquery -c fvTenant -f 'fv.Tenant.name==\"prod\"'", "/api/mo/uni/tn-prod.json", []],
		[
			'apic1# moquery -c fv.BD -f \'fv.BD.name*"a" and fv.BD.mtu>="1500"\' -o json',
			'/api/class/fvBD.json?query-target-filter=and(wcard(fvBD.name,"a"),ge(fvBD.mtu,"1500"))&order-by=fvBD.dn',
			[],
		],
		[
			`moquery -c fvBD -x 'query-target-filter=eq(fvBD.name,"b")' 'order-by=fvBD.name'`,
			'/api/class/fvBD.json?query-target-filter=eq(fvBD.name,"b")&order-by=fvBD.name|asc,fvBD.dn',
			[],
		],
		[
			"moquery --dn=uni/tn-prod | grep name",
			'/api/class/fvTenant.json?query-target-filter=eq(fvTenant.dn,"uni/tn-prod")&order-by=fvTenant.dn',
			[],
		],
		[
			`icurl 'http://localhost:7777/api/class/faultInst.json?query-target-filter=eq(faultInst.severity,"critical")'`,
			'/api/class/faultInst.json?query-target-filter=eq(faultInst.severity,"critical")&order-by=faultInst.dn',
			[],
		],
		[
			'curl -sk -b cookie.txt "https://apic/api/class/fvTenant.json?query-target-filter=eq(fvTenant.name,\\"p\\")"',
			"/api/mo/uni/tn-p.json",
			[],
		],
	])("%s", async (text, expected, unsupported) => {
		const [result, ...more] = await importRequests({ text });
		expect(more).toEqual([]);
		expect(result.unsupported).toEqual(unsupported);
		expect(await findPlan(result.flow_data)).toEqual([expected]);
	});

	it.each<[string, string[], string[]]>([
		[
			"/api/class/fvTenant.json?query-target=subtree&target-subtree-class=fvBD,fvCtx",
			["fvTenant", "fvBD", "fvCtx"],
			[],
		],
		[
			'/api/class/fvTenant.json?query-target=subtree&target-subtree-class=fvBD&query-target-filter=and(eq(fvBD.name,"x"),eq(fvTenant.name,"y"))',
			["fvTenant", "fvBD"],
			[],
		],
		["/api/mo/uni/tn-prod.json?query-target=subtree&target-subtree-class=fvAEPg", ["fvAEPg"], []],
		["/api/node/class/topology/pod-1/node-101/l1PhysIf.json", ["l1PhysIf"], []],
		[
			"/api/class/fvTenant.json?rsp-subtree=full&rsp-subtree-class=fvBD",
			["fvTenant", "fvBD"],
			["rsp-subtree=full: The controller nests the objects below. The canvas returns them as rows."],
		],
		["/api/class/fvTenant.json?query-target=children", ["fvTenant"], []],
		["moquery -c fvTenant,fvBD", ["fvTenant", "fvBD"], []],
	])("%s has the classes %j", async (text, classes, unsupported) => {
		const [result] = await importRequests({ text });
		const nodes: { type: string; data: { className: string } }[] = result.flow_data.nodes;
		expect(nodes.flatMap(({ type, data }) => (type === "classNode" ? [data.className] : []))).toEqual(classes);
		expect(result.unsupported).toEqual(unsupported);
		await findPlan(result.flow_data);
		const saved = await ada.api.post("/api/queries/saved-queries/", {
			...result,
			name: `${result.name} ${text}`.slice(0, 200),
		});
		expect(saved.status, saved.text).toBe(201);
	});

	it.each<[string, RegExp]>([
		["curl -X POST https://apic/api/mo/uni.json -d '{}'", /A POST request changes objects/],
		["curl -d '{}' https://apic/api/mo/uni.json", /A POST request/],
		["ls -l", /no URL, moquery, icurl or curl/],
		["moquery -o json", /needs a class/],
		["moquery -c 'fvTenant", /quote is not closed/],
		["/api/mo/uni/unknown-thing.json", /class of uni\/unknown-thing is not known/],
		["/api/aaaLogin.json", /no query of a class/],
		["/api/class/fv-Tenant.json", /class name/],
		['/api/class/fvBD.json?query-target-filter=anybit(fvBD.flags,"a")', /anybit/],
		['/api/class/fvBD.json?query-target-filter=eq(fvBD.name,"a"', /not complete/],
		['/api/class/fvBD.json?query-target-filter=eq(fvBD.name,"a)', /quote of the filter/],
		["/api/class/fvBD.json?query-target-filter=eq(fvBD.name)", /wrong number/],
		[
			'/api/class/fvBD.json?query-target-filter=or(eq(fvBD.a,"1"),and(eq(fvBD.a,"1"),or(eq(fvBD.b,"2"),eq(fvBD.c,"3"))))',
			/two levels/,
		],
		[`/api/class/fvBD.json?query-target-filter=${"not(".repeat(100)}`, /nested too deeply/],
		["moquery -c fvBD -f 'name ~ x'", /no condition/],
	])("%s has no canvas and a reason", async (text, reason) => {
		const [result] = await importRequests({ text });
		expect(result).toMatchObject({ flow_data: null, variables: [] });
		expect(result.unsupported.join("\n")).toMatch(reason);
	});

	it("names what it leaves out", async () => {
		const [result] = await importRequests({
			text: 'moquery -c fvBD -a config -x "page=2" page-size=10 order-by=fvBD.name,fvBD.mtu "query-target-filter=eq(fvCtx.name,\\"x\\")"',
		});
		expect(result.flow_data).not.toBeNull();
		expect(result.unsupported).toEqual([
			"-a config is not represented.",
			"page=2: Weft reads all pages.",
			"order-by: Only fvBD.name is represented, and not fvBD.mtu.",
			"The filter names fvCtx. The canvas applies it to fvBD.",
		]);
	});
});

it("several lines are several requests, with comments and continued lines", async () => {
	const text =
		"# tenants\n$ moquery -c fvTenant \\\n  -o json\n\nmoquery -c fvBD\r\n/api/class/fvCtx.json?page=0&page-size=5\n";
	const results = await importRequests({ text });
	expect(results.map(({ name }: { name: string }) => name)).toEqual(["fvTenant", "fvBD", "fvCtx"]);
	expect(results[2].flow_data.nodes[0].data).toEqual({ className: "fvCtx", limit: 5 });
});

it("a collection has a canvas for each request, with its folders and variables", async () => {
	const url = "https://{{apic}}/api/class/fvBD.json";
	const collection = {
		info: { name: "Fabric", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
		item: [
			{ name: "Login", request: { method: "POST", url: "https://{{apic}}/api/aaaLogin.json" } },
			{
				name: "Policy",
				item: [
					{
						name: "BDs",
						request: { method: "GET", url: { raw: `${url}?query-target-filter=eq(fvBD.name,"{{bd}}")` } },
					},
					{ name: "All", request: url },
					{
						name: "Parts",
						request: {
							url: { path: ["api", "class", "fvCtx.json"], query: [{ key: "page", value: "3", disabled: true }] },
						},
					},
				],
			},
			{ name: "Nothing" },
			null,
		],
	};
	const results = await importRequests({ collection });
	expect(results.map(({ name }: { name: string }) => name)).toEqual([
		"Login",
		"Policy / BDs",
		"Policy / All",
		"Policy / Parts",
	]);
	expect(results[0].flow_data).toBeNull();
	expect(results[1].variables).toEqual([{ id: "bd", label: "bd", type: "text", required: true }]);
	const saved = await ada.api.post("/api/queries/saved-queries/", results[1]);
	expect(saved.status, saved.text).toBe(201);
	expect(results[3]).toMatchObject({ unsupported: [], flow_data: { nodes: [{ data: { className: "fvCtx" } }, {}] } });
});

it("refuses other input by field, and callers without the right", async () => {
	for (const [body, key] of [
		[{}, "non_field_errors"],
		[{ text: "a", collection: {} }, "non_field_errors"],
		[{ collection: {} }, "collection"],
		[{ collection: [] }, "collection"],
		[{ text: "x".repeat(256 * 1024 + 1) }, "text"],
		[{ text: "moquery -c fvBD\n".repeat(501) }, "text"],
		[{ collection: { item: Array.from({ length: 5_001 }, () => ({})) } }, "collection"],
	] as const) {
		const { status, body: answer } = await ada.api.post(IMPORT, body);
		expect([status, Object.keys(answer)]).toEqual([400, [key]]);
	}
	expect((await t.anonymous.post(IMPORT, { text: "" })).status).toBe(401);
});

it("names the limit that one request exceeds, and imports the others", async () => {
	const classes = `moquery -c ${"fvBD,".repeat(100)}fvBD`;
	const words = `moquery ${"a ".repeat(1_001)}`;
	const dn = `/api/mo/uni/tn-${"a".repeat(1_100)}.json`;
	const results = await importRequests({
		text: ["moquery -c fvBD", classes, words, dn, "x".repeat(16_385)].join("\n"),
	});
	const reasons = results.map(({ unsupported }: { unsupported: string[] }) => unsupported.join(" "));
	expect(reasons).toEqual([
		"",
		"The request has 101 classes, and may have 100.",
		"The request has 1,002 words, and may have 1,000.",
		"The request has 1,107 characters in its DN, and may have 1,024.",
		"The request has 16,385 characters, and may have 16,384.",
	]);
	expect(results.map(({ flow_data }: { flow_data: unknown }) => flow_data !== null)).toEqual([
		true,
		...Array(4).fill(false),
	]);
});

it("cuts long names of folders, and refuses an answer of more than 8 MB", async () => {
	const request = { method: "GET", url: "/api/class/fvBD.json" };
	const items = (one: unknown) => Array.from({ length: 500 }, () => one);
	const folder = { name: "x".repeat(300_000), item: items({ name: "a", request }) };
	const [first] = await importRequests({ collection: { item: [folder] } });
	expect(first.name).toBe("x".repeat(200));
	const classes = `/api/class/fvBD.json?target-subtree-class=${"fvCtx,".repeat(90)}`;
	const { status, body } = await ada.api.post(IMPORT, {
		collection: { item: items({ name: "b", request: { method: "GET", url: classes } }) },
	});
	expect([status, body]).toEqual([
		400,
		{ collection: ["The canvases take more than 8 MB. Import fewer requests at once."] },
	]);
});
