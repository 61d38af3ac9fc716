/** Classes that the simulator knows by name only: any attribute, any value, nothing lost. */
import { describe, expect, it } from "vitest";
import { listDns, type TestAnswer, useTestClient } from "../testing.ts";

const client = await useTestClient();

const postObject = (dn: string, body: unknown, options = "") =>
	client.request("POST", `/api/mo/${dn}.json${options}`, body);
const getFirstObject = (answer: TestAnswer) => Object.values(answer.imdata[0] ?? {})[0];
const listAttributes = async (dn: string) => getFirstObject(await client.get(`/api/mo/${dn}.json`))?.attributes;

describe("names of classes", () => {
	it.each([
		"pkiTP",
		"vmmDomP",
		"snmpClientGrpP",
		"rtctrlSetComm",
		"fvESg",
		"infraSHPortS",
		"maintUpgJob",
		"isisDTEp",
		"telemetryFltPolGrp",
		"cloudApp",
	])("%s is known, and has no objects", async (name) => {
		expect(await client.get(`/api/class/${name}.json`)).toMatchObject({ status: 200, totalCount: "0" });
		expect(await client.get(`/api/node/class/${name}.json?rsp-subtree-include=count`)).toMatchObject({ status: 200 });
	});

	it.each([
		["statistics", "eqptPsPower5min eqptFruPower1h eqptcapacityL2TotalUsage5min eqptcapacityL3v4Usage325min"],
		["statistics with a number before the interval", "eqptcapacityL3v6Usage1285min eqptcapacityPGLabelUsageHist15min"],
		["relations and their back-relations", "fvRsToVm fvRtToVm l2RsPathDomAtt infraRsVxlanNs"],
		["tasks, and the class of a task", "dbgacEpgSummaryTask vxlanCktEp"],
		["roots, definitions and counters", "configprofileEntity fvMacBdSelectorDef ospfAdjStats"],
	])("the generated classes of a package are known by their kind: %s", async (_, names) => {
		for (const name of names.split(" ")) {
			expect(await client.get(`/api/class/${name}.json`), name).toMatchObject({ status: 200, totalCount: "0" });
		}
	});

	it.each(["nopkgRsToVm", "nopkgPower5min", "fvPower6min", "fvRxToVm", "fvTask2", "vxlanCktEpX"])(
		"%s is of no kind, or of no package",
		async (name) => {
			expect((await client.get(`/api/class/${name}.json`)).status).toBe(400);
		},
	);

	it("a statistic with a number before its interval is one", async () => {
		client.controller.load([
			{
				eqptcapacityL3v4Usage325min: {
					attributes: {
						dn: "topology/pod-1/node-101/sys/eqptcapacity/CDeqptcapacityL3v4Usage325min",
						normalizedLast: "3",
					},
				},
			},
		]);
		const found = await client.get("/api/class/statsItem.json?query-target-filter=wcard(statsItem.dn,%22L3v4Usage%22)");
		expect(listDns(found)).toHaveLength(1);
	});

	it("a name that no release has is refused in its three ways", async () => {
		expect((await client.get("/api/class/pkiKeyRong.json")).error.text).toBe(
			"Request failed, unresolved class for pkiKeyRong",
		);
		expect((await client.get('/api/class/fvBD.json?query-target-filter=eq(pkiKeyRong.name,"x")')).error.code).toBe(
			"122",
		);
		expect((await postObject("uni", { pkiKeyRong: { attributes: { name: "x" } } })).error).toEqual({
			code: "122",
			text: "unknown managed object class pkiKeyRong",
		});
	});
});

describe("a class without a property table", () => {
	it("takes any attribute in filters and in order-by, before an object has it", async () => {
		for (const filter of [
			'eq(maintUpgJob.upgradeStatus,"inprogress")',
			'and(ne(maintUpgJob.desiredVersion,""),wcard(maintUpgJob.dn,"node-1"))',
			'anybit(maintUpgJob.flags,"a,b")',
			'bw(maintUpgJob.progress,"10","20")',
			'gt(maintUpgJob.startDate,"2024-01-01T00:00:00")',
		])
			expect(await client.get(`/api/class/maintUpgJob.json?query-target-filter=${filter}`)).toMatchObject({
				status: 200,
				totalCount: "0",
			});
		expect(await client.get("/api/class/maintUpgJob.json?order-by=maintUpgJob.progress|desc")).toMatchObject({
			status: 200,
		});
		expect(
			await client.get(
				'/api/class/fvTenant.json?rsp-subtree=full&rsp-subtree-class=snmpCtxP&rsp-subtree-filter=eq(snmpCtxP.name,"x")',
			),
		).toMatchObject({ status: 200 });
	});

	it("takes any attribute in writes, numbers for words included, and answers them", async () => {
		const dn = "uni/fabric/time-ntp";
		const body = {
			datetimePol: {
				attributes: { dn, name: "ntp", adminSt: "1", authSt: "disabled", StratumValue: "8", serverState: "0" },
			},
		};
		expect(await postObject(dn, body)).toMatchObject({ status: 200, totalCount: "0" });
		expect(await listAttributes(dn)).toMatchObject({
			dn,
			name: "ntp",
			adminSt: "1",
			StratumValue: "8",
			descr: "",
			nameAlias: "",
			status: "",
			modTs: expect.stringMatching(/^2026-/),
		});
		await postObject(dn, { datetimePol: { attributes: { authSt: "enabled", later: "yes" } } });
		expect(await listAttributes(dn)).toMatchObject({ adminSt: "1", authSt: "enabled", later: "yes" });
		const found = await client.get('/api/class/datetimePol.json?query-target-filter=eq(datetimePol.StratumValue,"8")');
		expect(listDns(found)).toEqual([dn]);
		const config = getFirstObject(await client.get(`/api/mo/${dn}.json?rsp-prop-include=config-only`));
		expect(config?.attributes).toMatchObject({ dn, name: "ntp", adminSt: "1" });
		expect(config?.attributes).not.toHaveProperty("modTs");
	});

	it("is created, refused when there, and deleted like any other", async () => {
		const dn = "uni/tn-Retail-01/relayp-r";
		const body = (status: string) => ({ dhcpRelayP: { attributes: { name: "r", owner: "tenant", status } } });
		expect((await postObject(dn, body("modified"))).error.code).toBe("102");
		expect(await postObject(dn, body("created"))).toMatchObject({ status: 200 });
		expect((await postObject(dn, body("created"))).error.code).toBe("103");
		expect((await postObject(dn, { vzTaboo: { attributes: { dn, name: "r" } } })).error.code).toBe("103");
		await client.request("DELETE", `/api/mo/${dn}.json`);
		expect(await listAttributes(dn)).toBeUndefined();
		expect((await postObject("uni/tn-none/relayp-r", body("created"))).error.code).toBe("102");
		expect((await postObject("uni/nothing/relayp-r", body("created"))).status).toBe(200);
		const table = { fvBD: { attributes: { dn: "uni/tn-Retail-01/nothing/BD-b" } } };
		expect((await postObject("uni", table)).error.code).toBe("102");
	});

	it("leaves the objects of a container alone when the container itself is refused", async () => {
		const inside = "uni/container/relayp-r";
		await postObject(inside, { dhcpRelayP: { attributes: { name: "r" } } });
		const refused = { configSnapshotCont: { attributes: {}, children: [{ fvBD: { attributes: { colour: "red" } } }] } };
		expect((await postObject("uni/container", refused)).error.code).toBe("400");
		expect(await listAttributes(inside)).toMatchObject({ name: "r" });
		expect(await listAttributes("uni/container")).toBeUndefined();
		expect((await client.get("/api/class/configSnapshotCont.json")).totalCount).toBe("0");
	});

	it("gives siblings RNs of their own, by the values that name them", async () => {
		await postObject("uni/tn-Retail-01", {
			fvTenant: {
				attributes: {},
				children: [
					{ dhcpRelayP: { attributes: { name: "one" } } },
					{ dhcpRelayP: { attributes: { name: "two" } } },
					{ snmpCtxP: { attributes: { name: "a" } } },
					{
						dhcpOptionPol: {
							attributes: { name: "options" },
							children: [
								{ dhcpOption: { attributes: { name: "dns", id: "6", data: "10.0.0.1" } } },
								{ dhcpOption: { attributes: { name: "ntp", id: "42", data: "10.0.0.1" } } },
							],
						},
					},
				],
			},
		});
		const relays = await client.get("/api/class/dhcpRelayP.json?order-by=dhcpRelayP.dn");
		expect(listDns(relays)).toEqual(["uni/tn-Retail-01/relayp-one", "uni/tn-Retail-01/relayp-two"]);
		const options = await client.get("/api/class/dhcpOption.json?order-by=dhcpOption.name");
		expect(new Set(listDns(options)).size).toBe(2);
		expect(options.imdata.map(({ dhcpOption }) => dhcpOption?.attributes.name)).toEqual(["dns", "ntp"]);
	});

	it("learns from one DN how the class writes its RNs", async () => {
		const TENANT = "uni/tn-Retail-01";
		await postObject(`${TENANT}/group-[a/1]-kind-x`, {
			telemetryFltPolGrp: { attributes: { name: "a/1", kind: "x" } },
		});
		await postObject(TENANT, {
			fvTenant: { attributes: {}, children: [{ telemetryFltPolGrp: { attributes: { name: "b/2", kind: "y" } } }] },
		});
		expect(listDns(await client.get("/api/class/telemetryFltPolGrp.json?order-by=telemetryFltPolGrp.dn"))).toEqual([
			`${TENANT}/group-[a/1]-kind-x`,
			`${TENANT}/group-[b/2]-kind-y`,
		]);
		const naming = getFirstObject(
			await client.get(`/api/mo/${TENANT}/group-[b/2]-kind-y.json?rsp-prop-include=naming-only`),
		);
		expect(naming?.attributes).toEqual({ dn: `${TENANT}/group-[b/2]-kind-y`, kind: "y", name: "b/2" });
	});

	it("tells siblings apart that only the name of their target names", async () => {
		const children = ["one", "two"].map((name) => ({
			telemetryRsToFltPolGrp: { attributes: { tnTelemetryFltPolGrpName: name } },
		}));
		await postObject("uni/tn-Retail-01", { fvTenant: { attributes: {}, children } });
		const found = await client.get("/api/class/telemetryRsToFltPolGrp.json");
		expect(found.imdata.map((item) => item.telemetryRsToFltPolGrp?.attributes.tnTelemetryFltPolGrpName)).toEqual([
			"one",
			"two",
		]);
	});

	it("relations of it point where they say, and are relations", async () => {
		await postObject("uni/infra", {
			infraInfra: {
				attributes: {},
				children: [
					{
						infraNodeP: {
							attributes: { name: "leaves" },
							children: [
								{ infraRsAccPortP: { attributes: { tDn: "uni/infra/accportprof-leaf101" } } },
								{ infraRsAccPortP: { attributes: { tDn: "uni/infra/accportprof-leaf102" } } },
								{
									infraLeafS: {
										attributes: { name: "sel", type: "range" },
										children: [{ infraNodeBlk: { attributes: { name: "blk", from_: "101", to_: "102" } } }],
									},
								},
							],
						},
					},
				],
			},
		});
		const dns = listDns(await client.get("/api/mo/uni/infra/nprof-leaves.json?query-target=subtree"));
		expect(dns.sort()).toEqual([
			"uni/infra/nprof-leaves",
			"uni/infra/nprof-leaves/leaves-sel-typ-range",
			"uni/infra/nprof-leaves/leaves-sel-typ-range/nodeblk-blk",
			"uni/infra/nprof-leaves/rsaccPortP-[uni/infra/accportprof-leaf101]",
			"uni/infra/nprof-leaves/rsaccPortP-[uni/infra/accportprof-leaf102]",
		]);
		const relations = getFirstObject(
			await client.get("/api/mo/uni/infra/nprof-leaves.json?rsp-subtree-include=relations"),
		);
		expect(relations?.children?.flatMap((child) => Object.keys(child))).toEqual(["infraRsAccPortP", "infraRsAccPortP"]);
	});
});

describe("loading", () => {
	const load = async (items: unknown) => (await client.lab("POST", "objects", { imdata: items })).body;

	it("keeps children of unknown classes, with their rn or one of their own, and counts what it cannot place", async () => {
		const report = await load([
			{
				fvTenant: {
					attributes: { dn: "uni/tn-loaded", name: "loaded" },
					children: [
						{ madeUpThing: { attributes: { rn: "thing-1", size: "1" } } },
						{ madeUpThing: { attributes: { name: "two", size: "2" } } },
						{ madeUpThing: { attributes: { name: "three", size: "2" } } },
						{ madeUpOther: { attributes: { size: "1" } } },
						{ madeUpOther: { attributes: { size: "2" } } },
						{ madeUpBroken: {} },
						"nothing",
					],
				},
			},
			{ moCount: { attributes: { count: "1" } } },
		]);
		expect(report).toEqual({ loaded: 6, skipped: 3 });
		const tenant = getFirstObject(await client.get("/api/mo/uni/tn-loaded.json?rsp-subtree=full"));
		expect(tenant?.children).toHaveLength(5);
		const rns = tenant?.children?.map((child) => Object.values(child)[0]?.attributes.rn);
		expect(rns).toContain("thing-1");
		expect(new Set(rns).size).toBe(5);
		expect(await client.get("/api/class/madeUpThing.json")).toMatchObject({ status: 200, totalCount: "3" });
	});

	it("keeps the attribute rn of an object that has a dn too", async () => {
		await load([{ pkiTP: { attributes: { dn: "uni/userext/pkiext/tp-x", rn: "tp-x", name: "x" } } }]);
		expect(await listAttributes("uni/userext/pkiext/tp-x")).toEqual({
			dn: "uni/userext/pkiext/tp-x",
			rn: "tp-x",
			name: "x",
		});
	});

	it("takes a configuration without DNs from its root", async () => {
		const report = await load([
			{
				polUni: {
					attributes: {},
					children: [
						{ fvTenant: { attributes: { name: "exported" }, children: [{ fvBD: { attributes: { name: "b" } } }] } },
					],
				},
			},
		]);
		expect(report).toEqual({ loaded: 3, skipped: 0 });
		expect(await listAttributes("uni/tn-exported/BD-b")).toMatchObject({ name: "b" });
	});

	it("remembers the values that it saw, so that filters may name them", async () => {
		const filter = (text: string) => client.get(`/api/class/fvBD.json?query-target-filter=${text}`);
		expect((await filter('eq(fvBD.unkMacUcastAct,"sometimes")')).error.code).toBe("301");
		await load([
			{
				fvBD: {
					attributes: {
						dn: "uni/tn-Retail-01/BD-odd",
						name: "odd",
						unkMacUcastAct: "sometimes",
						epMoveDetectMode: "x,garp",
					},
				},
			},
		]);
		expect(listDns(await filter('eq(fvBD.unkMacUcastAct,"sometimes")'))).toEqual(["uni/tn-Retail-01/BD-odd"]);
		expect(listDns(await filter('anybit(fvBD.epMoveDetectMode,"x")'))).toEqual(["uni/tn-Retail-01/BD-odd"]);
		expect((await filter('eq(fvBD.unkMacUcastAct,"never")')).error.code).toBe("301");
	});
});
