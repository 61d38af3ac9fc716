/**
 * Requests as stock clients send them: Ansible's cisco.aci (a URL per object, compared with what a
 * query gives), acitoolkit (whole trees posted to `uni`), the pre-upgrade script (class queries).
 */
import { describe, expect, it } from "vitest";
import { listDns, type TestAnswer, useTestClient } from "./testing.ts";

const client = await useTestClient();

const getFirstObject = (answer: Pick<TestAnswer, "imdata">) => Object.values(answer.imdata[0] ?? {})[0];

describe("Ansible", () => {
	/** `state: present`: a query, the object, and a query again. */
	async function ensureObject(
		dn: string,
		cls: string,
		wanted: Record<string, string>,
		children: readonly object[] = [],
	) {
		const query = `/api/mo/${dn}.json?rsp-prop-include=config-only`;
		const before = await client.get(query);
		const body = { [cls]: { attributes: wanted, ...(children.length === 0 ? {} : { children }) } };
		expect(await client.request("POST", `/api/mo/${dn}.json`, body), dn).toMatchObject({ status: 200 });
		const after = getFirstObject(await client.get(query))?.attributes ?? {};
		return { before, after, missing: Object.keys(wanted).filter((name) => after[name] !== wanted[name]) };
	}

	it.each([
		["uni/userext/pkiext/keyring-k", "pkiKeyRing", { name: "k", modulus: "mod1024" }],
		[
			"uni/userext/user-ansible",
			"aaaUser",
			{ name: "ansible", clearPwdHistory: "no", expires: "no", phone: "123", pwdUpdateRequired: "no", descr: "" },
		],
		["uni/tn-Retail-01/tag-blue", "tagInst", { name: "blue", nameAlias: "sky" }],
		["uni/userext/domain-d", "aaaDomain", { name: "d", restrictedRbacDomain: "no" }],
		["uni/userext/tacacsext/tacacsplusprovider-10.0.0.1", "aaaTacacsPlusProvider", { name: "10.0.0.1", port: "49" }],
		["uni/fabric/snmppol-default/clgrp-g", "snmpClientGrpP", { name: "g" }],
		["uni/fabric/configexp-daily", "configExportP", { name: "daily", format: "json" }],
		["uni/infra/funcprof/accbundle-vpc", "infraAccBndlGrp", { name: "vpc", lagT: "node" }],
		["uni/vmmp-VMware/dom-v", "vmmDomP", { name: "v", mode: "default", enfPref: "hw" }],
		["uni/backupst/snapshots-[uni/fabric/configexp-daily]", "configSnapshotCont", { name: "daily" }],
		["uni/controller/nodeidentpol/nodep-SAL1", "fabricNodeIdentP", { serial: "SAL1", nodeId: "111", name: "leaf111" }],
		["uni/tn-Retail-01/svcCont/svcRedirectPol-r", "vnsSvcRedirectPol", { name: "r", destType: "L3" }],
		["uni/tn-Retail-01/bgpCtxP-b", "bgpCtxPol", { name: "b", kaIntvl: "30" }],
		["uni/tn-Retail-01/ap-new", "fvAp", { name: "new", prio: "level1" }],
	])("finds %s as it was sent, and nothing of it before", async (dn, cls, wanted) => {
		const made = await ensureObject(dn, cls, { ...wanted, annotation: "orchestrator:ansible" });
		expect(made.before.totalCount).toBe("0");
		expect(made.missing).toEqual([]);
		expect(made.after).toMatchObject({ dn });
		if (!["configSnapshotCont", "tagInst"].includes(cls)) expect(made.after).toMatchObject({ descr: "" });
		const listed = await client.get(`/api/class/${cls}.json?query-target-filter=eq(${cls}.dn,"${dn}")`);
		expect(listDns(listed)).toEqual([dn]);
		expect(await client.request("DELETE", `/api/mo/${dn}.json`)).toMatchObject({ status: 200 });
		expect((await client.get(`/api/mo/${dn}.json`)).totalCount).toBe("0");
	});

	it("takes snapshots of the configuration, keeps the last ones, and retires one", async () => {
		const dn = "uni/fabric/configexp-nightly";
		const attributes = { name: "nightly", snapshot: "yes", adminSt: "triggered", format: "json" };
		const trigger = () => client.request("POST", `/api/mo/${dn}.json`, { configExportP: { attributes } });
		const below = `/api/mo/uni/backupst/snapshots-[${dn}].json?query-target=children&target-subtree-class=configSnapshot`;
		expect(await trigger()).toMatchObject({ status: 200 });
		expect(getFirstObject(await client.get(`/api/mo/${dn}.json`))?.attributes.adminSt).toBe("untriggered");
		const job = getFirstObject(await client.get("/api/class/configJob.json"))?.attributes ?? {};
		expect(job).toMatchObject({ operSt: "success", type: "export" });
		expect(job.dn).toMatch(/^uni\/backupst\/jobs-\[uni\/fabric\/configexp-nightly\]\/run-[0-9T-]+$/);
		const [snapshot = ""] = listDns(await client.get(below));
		expect(snapshot).toMatch(/\/snapshot-run-[0-9T-]+$/);
		for (let times = 0; times < 12; times++) await trigger();
		const kept = listDns(await client.get(below));
		expect([kept.length, kept.includes(snapshot)]).toEqual([10, false]);
		expect((await client.get("/api/class/configJob.json")).totalCount).toBe("10");
		const name = kept[0]?.split("/snapshot-")[1];
		const retired = { configSnapshot: { attributes: { name, retire: "yes" } } };
		expect(await client.request("POST", `/api/mo/${kept[0]}.json`, retired)).toMatchObject({ status: 200 });
		expect(listDns(await client.get(below))).toEqual(kept.slice(1));
	});

	it("takes no snapshot of a policy that is not triggered, or is to keep none", async () => {
		const post = (name: string, attributes: Record<string, string>) =>
			client.request("POST", `/api/mo/uni/fabric/configexp-${name}.json`, { configExportP: { attributes } });
		await post("idle", { name: "idle", snapshot: "yes" });
		await post("remote", { name: "remote", adminSt: "triggered" });
		for (const name of ["idle", "remote"])
			expect((await client.get(`/api/mo/uni/backupst/snapshots-[uni/fabric/configexp-${name}].json`)).totalCount).toBe(
				"0",
			);
	});

	it("finds tags and annotations in the fabric", async () => {
		const tags = (await client.get("/api/class/tagTag.json")).imdata;
		const { totalCount } = await client.get("/api/class/fvTenant.json");
		expect(String(tags.length)).toBe(totalCount);
		expect(Object.values(tags[0] ?? {})[0]?.attributes).toMatchObject({ key: "owner" });
		expect(Number((await client.get("/api/class/tagAnnotation.json")).totalCount)).toBeGreaterThan(0);
	});

	it("finds child configuration by its class below the object", async () => {
		const dn = "uni/tn-Retail-01/BD-ansible";
		await ensureObject(dn, "fvBD", { name: "ansible", arpFlood: "yes" }, [
			{ fvRsCtx: { attributes: { tnFvCtxName: "vrf-01" } } },
			{ fvRsBDToProfile: { attributes: { tnL3extOutName: "wan-01", tnRtctrlProfileName: "p" } } },
		]);
		const children = "fvRsBDToNdP,fvRsBDToProfile,fvRsBdToEpRet,fvRsCtx,fvRsIgmpsn";
		const bd = getFirstObject(await client.get(`/api/mo/${dn}.json?rsp-subtree=full&rsp-subtree-class=${children}`));
		const found = Object.fromEntries(
			(bd?.children ?? []).flatMap((child) => Object.entries(child).map(([cls, { attributes }]) => [cls, attributes])),
		);
		expect(Object.keys(found).sort()).toEqual(children.split(","));
		expect(found.fvRsBDToProfile).toMatchObject({ rn: "rsBDToProfile", tnRtctrlProfileName: "p" });
		const tenant = await client.get(
			`/api/mo/uni/tn-Retail-01.json?rsp-subtree=full&rsp-subtree-class=fvBD,${children}&rsp-subtree-filter=eq(fvBD.name,"ansible")`,
		);
		expect(getFirstObject(tenant)?.children).toHaveLength(1);
	});

	it("takes numbers for words, and answers the words", async () => {
		const { after } = await ensureObject("uni/infra/lldpIfP-n", "lldpIfPol", {
			name: "n",
			adminRxSt: "2",
			adminTxSt: "1",
		});
		expect(after).toMatchObject({ adminRxSt: "disabled", adminTxSt: "enabled" });
		const found = await client.get('/api/class/lldpIfPol.json?query-target-filter=eq(lldpIfPol.adminRxSt,"2")');
		expect(listDns(found)).toContain("uni/infra/lldpIfP-n");
		const refused = { lldpIfPol: { attributes: { adminRxSt: "9" } } };
		expect((await client.request("POST", "/api/mo/uni/infra/lldpIfP-n.json", refused)).error.code).toBe("120");
	});
});

describe("acitoolkit", () => {
	it("posts access policies in one tree, by DN and by name", async () => {
		const tree = {
			infraInfra: {
				attributes: {},
				children: [
					{
						infraNodeP: {
							attributes: { dn: "uni/infra/nprof-1-101-1-8", name: "1-101-1-8" },
							children: [
								{
									infraLeafS: {
										attributes: { name: "1-101-1-8", type: "range" },
										children: [
											{ infraNodeBlk: { attributes: { name: "1-101-1-8", from_: "101", to_: "101" }, children: [] } },
										],
									},
								},
								{ infraRsAccPortP: { attributes: { tDn: "uni/infra/accportprof-1-101-1-8" }, children: [] } },
							],
						},
					},
					{
						infraFuncP: {
							attributes: {},
							children: [
								{
									infraAccBndlGrp: {
										attributes: { dn: "uni/infra/funcprof/accbundle-vpc1", name: "vpc1", lagT: "node" },
										children: [
											{ infraRsLacpPol: { attributes: { tnLacpLagPolName: "vpc1" } } },
											{ infraRsHIfPol: { attributes: { tnFabricHIfPolName: "10G" } } },
											{ infraRsAttEntP: { attributes: { tDn: "uni/infra/attentp-Servers" } } },
										],
									},
								},
							],
						},
					},
					{ fabricHIfPol: { attributes: { dn: "uni/infra/hintfpol-10G", name: "10G", speed: "10G", autoNeg: "on" } } },
				],
			},
		};
		expect(await client.request("POST", "/api/mo/uni.json", tree)).toMatchObject({ status: 200 });
		expect(
			listDns(
				await client.get(
					"/api/mo/uni/infra/funcprof/accbundle-vpc1.json?query-target=subtree&target-subtree-class=infraAccBndlGrp,infraRsAttEntP,infraRsHIfPol,infraRsLacpPol",
				),
			).sort(),
		).toEqual([
			"uni/infra/funcprof/accbundle-vpc1",
			"uni/infra/funcprof/accbundle-vpc1/rsattEntP",
			"uni/infra/funcprof/accbundle-vpc1/rshIfPol",
			"uni/infra/funcprof/accbundle-vpc1/rslacpPol",
		]);
		expect(
			getFirstObject(await client.get("/api/mo/uni/infra/funcprof/accbundle-vpc1/rshIfPol.json"))?.attributes,
		).toMatchObject({ state: "formed", tDn: "uni/infra/hintfpol-10G" });
		const pairs = {
			fabricProtPol: {
				attributes: { name: "vpc" },
				children: [
					{
						fabricExplicitGEp: {
							attributes: { name: "101-102", id: "1" },
							children: [
								{ fabricNodePEp: { attributes: { id: "101" } } },
								{ fabricNodePEp: { attributes: { id: "102" } } },
							],
						},
					},
				],
			},
		};
		expect(await client.request("POST", "/api/mo/uni/fabric.json", pairs)).toMatchObject({ status: 200 });
		expect(listDns(await client.get("/api/class/fabricNodePEp.json?order-by=fabricNodePEp.id"))).toEqual([
			"uni/fabric/protpol/expgep-101-102/nodepep-101",
			"uni/fabric/protpol/expgep-101-102/nodepep-102",
		]);
	});

	it("posts an external network, and reads it back as a tree", async () => {
		const tree = {
			fvTenant: {
				attributes: { name: "toolkit" },
				children: [
					{ fvCtx: { attributes: { name: "v", pcEnfPref: "enforced" }, children: [] } },
					{
						l3extOut: {
							attributes: { name: "out" },
							children: [
								{ l3extRsEctx: { attributes: { tnFvCtxName: "v" } } },
								{ ospfExtP: { attributes: { areaId: "0.0.0.1" }, children: [] } },
								{
									l3extLNodeP: {
										attributes: { name: "nodes" },
										children: [
											{ l3extRsNodeL3OutAtt: { attributes: { rtrId: "1.1.1.1", tDn: "topology/pod-1/node-101" } } },
											{
												l3extLIfP: {
													attributes: { name: "ports" },
													children: [
														{
															l3extRsPathL3OutAtt: {
																attributes: {
																	tDn: "topology/pod-1/paths-101/pathep-[eth1/1]",
																	addr: "10.1.1.1/30",
																	ifInstT: "l3-port",
																},
															},
														},
														{
															ospfIfP: {
																attributes: { authType: "simple", name: "" },
																children: [{ ospfRsIfPol: { attributes: { tnOspfIfPolName: "" } } }],
															},
														},
													],
												},
											},
										],
									},
								},
							],
						},
					},
				],
			},
		};
		expect(await client.request("POST", "/api/mo/uni.json", tree)).toMatchObject({ status: 200 });
		const dns = listDns(await client.get("/api/mo/uni/tn-toolkit/out-out.json?query-target=subtree"));
		expect(dns).toEqual(
			expect.arrayContaining([
				"uni/tn-toolkit/out-out/ospfExtP",
				"uni/tn-toolkit/out-out/lnodep-nodes/lifp-ports/rspathL3OutAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]",
				"uni/tn-toolkit/out-out/lnodep-nodes/lifp-ports/ospfIfP/rsIfPol",
			]),
		);
	});

	it("reads the hardware below the topology", async () => {
		const count = async (path: string) => Number((await client.get(path)).totalCount);
		expect(await count("/api/mo/topology/pod-1.json?query-target=subtree&target-subtree-class=fabricLink")).toBe(8);
		expect(await count("/api/mo/topology/pod-1/node-101/sys/ch.json?query-target=self")).toBe(1);
		expect(await count("/api/mo/topology/pod-1/node-101/sys/fwstatuscont/running.json?query-target=self")).toBe(1);
		expect(
			await count(
				"/api/mo/topology/pod-1/node-101/sys.json?query-target=subtree&target-subtree-class=l1PhysIf,pcAggrIf,l2BD&rsp-subtree=children&rsp-subtree-class=ethpmPhysIf,l1RtMbrIfs,ethpmAggrIf",
			),
		).toBe(12);
		expect(
			await client.get(
				'/api/class/l1PhysIf.json?&rsp-subtree-include=stats&rsp-subtree-class=statsHist&rsp-subtree-filter=eq(statsHist.index,"0")',
			),
		).toMatchObject({ status: 200 });
	});
});

describe("the pre-upgrade script", () => {
	it.each([
		'faultInst.json?query-target-filter=or(eq(faultInst.code,"F1527"),eq(faultInst.code,"F1528"),eq(faultInst.code,"F1529"))',
		'faultInst.json?&query-target-filter=wcard(faultInst.changeSet,"port-configured-for-apic")',
		"eqptcapacityEntity.json?rsp-subtree-include=faults,no-scoped",
		'eqptcapacityFSPartition.json?query-target-filter=eq(eqptcapacityFSPartition.path,"/bootflash")',
		'eqptSpCmnBlk.json?&query-target-filter=wcard(eqptSpromSupBlk.dn,"sup")',
		'eqptPortP.json?query-target-filter=eq(eqptPortP.ctrl,"uplink")',
		'firmwareFirmware.json?query-target-filter=and(wcard(firmwareFirmware.isoname,"aci-apic"),eq(firmwareFirmware.type,"controller"))',
		"l3extSubnet.json?rsp-subtree=children&rsp-subtree-class=l3extRsSubnetToProfile&rsp-subtree-include=required",
		'rtctrlProfile.json?query-target-filter=eq(rtctrlProfile.type,"combinable")&rsp-subtree=full&rsp-subtree-filter=eq(rtctrlRsCtxPToSubjP.state,"missing-target")',
		"l3extOut.json?rsp-subtree=full&rsp-subtree-class=l3extRsEctx,l3extRsNodeL3OutAtt,l3extLoopBackIfP,l3extRsPathL3OutAtt,l3extMember",
		"fvnsVlanInstP.json?rsp-subtree=children&rsp-subtree-class=fvnsRtVlanNs,fvnsEncapBlk&rsp-subtree-include=required",
		'coppClass.json?&query-target-filter=and(eq(coppClass.dn,"topology/pod-1/node-101/sys/copp/classp-glean"))',
		"fvFabricExtConnP.json?query-target=children",
		"mgmtOoB.json?rsp-subtree=children",
		"pkiFabricSelfCAEp.json",
		"telemetryStatsServerP.json",
	])("is answered: %s", async (query) => {
		expect(await client.get(`/api/class/${query}`)).toMatchObject({ status: 200 });
	});

	it("finds default policies, with a slash before the DN too", async () => {
		const [isis] = (await client.get("/api/mo/uni/fabric/isisDomP-default.json")).imdata;
		expect(isis?.isisDomPol?.attributes).toMatchObject({ name: "default", redistribMetric: "63" });
		const groups = "query-target=children&target-subtree-class=maintMaintP,firmwareFwP,isisDomPol";
		expect(listDns(await client.get(`/api/mo//uni/fabric.json?${groups}`))).toEqual(["uni/fabric/isisDomP-default"]);
		const [settings] = (
			await client.get('/api/class/infraSetPol.json?query-target-filter=eq(infraSetPol.validateOverlappingVlans,"no")')
		).imdata;
		expect(settings?.infraSetPol?.attributes.dn).toBe("uni/infra/settings");
	});
});
