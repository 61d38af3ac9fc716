import { describe, expect, it } from "vitest";
import { listDns, useTestClient } from "../testing.ts";

const client = await useTestClient();

const postObject = (dn: string, body: unknown, options = "") =>
	client.request("POST", `/api/mo/${dn}.json${options}`, body);
const listAttributes = async (dn: string) =>
	Object.values((await client.get(`/api/mo/${dn}.json`)).imdata[0] ?? {})[0]?.attributes;
const BD = "uni/tn-Retail-01/BD-bd-001";

describe("posting", () => {
	it("creates a tree in one go, relations resolved, implied children made", async () => {
		const tree = {
			polUni: {
				attributes: {},
				children: [
					{
						fvTenant: {
							attributes: { name: "new" },
							children: [
								{
									fvBD: {
										attributes: { name: "b" },
										children: [
											{ fvRsCtx: { attributes: { tnFvCtxName: "v" } } },
											{ fvSubnet: { attributes: { ip: "10.9.0.1/24" } } },
										],
									},
								},
								{ fvCtx: { attributes: { name: "v" } } },
								{ fvAp: { attributes: { name: "a" }, children: [{ fvAEPg: { attributes: { name: "e" } } }] } },
							],
						},
					},
				],
			},
		};
		expect((await postObject("uni", tree)).text).toBe('{"totalCount":"0","imdata":[]}');
		expect(listDns(await client.get("/api/mo/uni/tn-new.json?query-target=subtree")).sort()).toEqual(
			expect.arrayContaining([
				"uni/tn-new",
				"uni/tn-new/BD-b",
				"uni/tn-new/BD-b/rsctx",
				"uni/tn-new/BD-b/subnet-[10.9.0.1/24]",
				"uni/tn-new/ap-a/epg-e/rsbd",
				"uni/tn-new/ctx-v/any",
			]),
		);
		expect(await listAttributes("uni/tn-new/BD-b/rsctx")).toMatchObject({
			state: "formed",
			tDn: "uni/tn-new/ctx-v",
			tRn: "ctx-v",
		});
		expect(await listAttributes("uni/tn-new/ctx-v/rtctx-[uni/tn-new/BD-b]")).toMatchObject({ tDn: "uni/tn-new/BD-b" });
		expect(await listAttributes("uni/tn-new/ap-a/epg-e/rsbd")).toMatchObject({ state: "missing-target" });
	});

	it("keeps what is not named, and moves modTs", async () => {
		const before = await listAttributes(BD);
		await postObject(BD, { fvBD: { attributes: { arpFlood: "true", descr: "x" } } });
		const after = await listAttributes(BD);
		expect(after).toEqual({ ...before, arpFlood: "yes", descr: "x", modTs: after?.modTs });
		expect(after?.modTs).not.toBe(before?.modTs);
	});

	it("shows the change in the next query at once, and in the order", async () => {
		await client.get("/api/class/fvBD.json?order-by=fvBD.dn");
		await postObject("uni/tn-Retail-01", { fvBD: { attributes: { name: "aaa" } } });
		const dns = listDns(await client.get("/api/class/fvBD.json?order-by=fvBD.dn"));
		expect(dns).toContain("uni/tn-Retail-01/BD-aaa");
		expect(dns).toEqual([...dns].sort());
	});

	it("names the object by the URL, by dn, by rn, or by its naming properties below the URL", async () => {
		await postObject("uni/tn-u1", { fvTenant: { attributes: {} } });
		await postObject("uni", { fvTenant: { attributes: { dn: "uni/tn-u2" } } });
		await postObject("uni", { fvTenant: { attributes: { rn: "tn-u3" } } });
		await postObject("uni", { fvTenant: { attributes: { name: "u4" } } });
		const names = await client.get(
			'/api/class/fvTenant.json?query-target-filter=wcard(fvTenant.name,"^u[0-9]$")&order-by=fvTenant.dn',
		);
		expect(listDns(names)).toEqual(["uni/tn-u1", "uni/tn-u2", "uni/tn-u3", "uni/tn-u4"]);
	});

	it("rsp-subtree=modified tells what changed", async () => {
		const answer = await postObject(BD, { fvBD: { attributes: { descr: "y" } } }, "?rsp-subtree=modified");
		expect(answer.imdata).toEqual([
			{ fvBD: { attributes: { dn: BD, status: "modified", descr: "y", modTs: expect.any(String) } } },
		]);
		expect((await postObject(BD, { fvBD: { attributes: { descr: "y" } } }, "?rsp-subtree=modified")).imdata).toEqual(
			[],
		);
	});

	it("moves the back-relation with a relation", async () => {
		await postObject(`${BD}/rsctx`, { fvRsCtx: { attributes: { tnFvCtxName: "vrf-02" } } });
		expect(await listAttributes(`${BD}/rsctx`)).toMatchObject({ tDn: "uni/tn-Retail-01/ctx-vrf-02" });
		const back = await client.get(`/api/class/fvRtCtx.json?query-target-filter=eq(fvRtCtx.tDn,"${BD}")`);
		expect(listDns(back)).toEqual([`uni/tn-Retail-01/ctx-vrf-02/rtctx-[${BD}]`]);
	});

	it("reads named numbers back as their names", async () => {
		await postObject("uni/tn-Retail-01", {
			vzFilter: {
				attributes: { name: "f" },
				children: [
					{ vzEntry: { attributes: { name: "e", etherT: "ip", prot: "6", dFromPort: "80", dToPort: "8081" } } },
				],
			},
		});
		expect(await listAttributes("uni/tn-Retail-01/flt-f/e-e")).toMatchObject({
			prot: "tcp",
			dFromPort: "http",
			dToPort: "8081",
		});
	});

	describe("leaves audit records", () => {
		const records = async (dn: string) =>
			(
				await client.get(
					`/api/class/aaaModLR.json?query-target-filter=eq(aaaModLR.affected,"${dn}")&order-by=aaaModLR.created|desc,aaaModLR.id|desc`,
				)
			).imdata.map(({ aaaModLR }) => aaaModLR?.attributes);

		it("of who did what, in which session, and when by the controller's clock", async () => {
			await postObject(BD, { fvBD: { attributes: { descr: "y" } } });
			client.controller.setFaults({ clock_skew: { ms: -7_200_000 } });
			const answer = await postObject(BD, { fvBD: { attributes: { descr: "z" } } });
			const found = await records(BD);
			expect(found.slice(0, 1)).toEqual([
				expect.objectContaining({
					user: "admin",
					ind: "modification",
					affected: BD,
					changeSet: "descr (Old: , New: y)",
					sessionId: expect.stringMatching(/^[\w+/]{22}==$/),
				}),
			]);
			const late = found.find((record) => record?.changeSet === "descr (Old: y, New: z)");
			const ahead = Date.now() - Date.parse(late?.created ?? "");
			expect(Math.abs(ahead - 7_200_000)).toBeLessThan(60_000);
			const date = Date.parse(answer.headers.get("date") ?? "");
			expect(Math.abs(date - Date.parse(late?.created ?? ""))).toBeLessThan(60_000);
		});

		it("of objects that were made and deleted, each child with its own", async () => {
			await postObject(BD, {
				fvBD: { attributes: {}, children: [{ fvSubnet: { attributes: { ip: "10.99.0.1/24", descr: "new" } } }] },
			});
			await client.request("DELETE", `/api/mo/${BD}.json`);
			const [deletion, creation] = await records(`${BD}/subnet-[10.99.0.1/24]`);
			expect(creation).toMatchObject({ ind: "creation", changeSet: expect.stringMatching(/descr:new.*ip:10.99.0.1/) });
			expect(deletion).toMatchObject({ ind: "deletion", changeSet: "", user: "admin" });
			expect((await records(BD))[0]).toMatchObject({ ind: "deletion" });
		});

		it("keeps at most `keep` records", async () => {
			client.controller.setFaults({ audit_rotation: { keep: 3 } });
			for (const descr of ["1", "2", "3", "4", "5"]) await postObject(BD, { fvBD: { attributes: { descr } } });
			expect((await records(BD)).map((record) => record?.changeSet?.slice(-2))).toEqual(["5)", "4)", "3)"]);
			expect((await client.get("/api/class/aaaModLR.json?page-size=1")).totalCount).toBe("3");
		});
	});

	it("takes XML, entities and comments included", async () => {
		const xml =
			'<?xml version="1.0"?><!-- new --><fvTenant name="x"><fvBD name="b" descr="a&amp;b &#65;"><fvSubnet ip=\'10.0.0.1/24\'/></fvBD></fvTenant>';
		expect((await client.request("POST", "/api/mo/uni.xml", xml)).text).toBe(
			'<?xml version="1.0" encoding="UTF-8"?><imdata totalCount="0"></imdata>',
		);
		expect(await listAttributes("uni/tn-x/BD-b")).toMatchObject({ descr: "a&b A" });
		expect(
			(
				await client.get(
					"/api/mo/uni/tn-x/BD-b.xml?rsp-prop-include=naming-only&rsp-subtree=children&rsp-subtree-class=fvSubnet",
				)
			).text,
		).toContain('<fvBD dn="uni/tn-x/BD-b" name="b"><fvSubnet ip="10.0.0.1/24" rn="subnet-[10.0.0.1/24]"/></fvBD>');
	});
});

describe("deleting", () => {
	it("takes the subtree and the back-relations along, and is no error when there is nothing", async () => {
		const before = Number((await client.get("/api/class/fvRtCtx.json?page-size=1")).totalCount);
		expect((await client.request("DELETE", `/api/mo/${BD}.json`)).text).toBe('{"totalCount":"0","imdata":[]}');
		expect((await client.get(`/api/mo/${BD}.json?query-target=subtree`)).totalCount).toBe("0");
		expect(Number((await client.get("/api/class/fvRtCtx.json?page-size=1")).totalCount)).toBe(before - 1);
		expect((await client.request("DELETE", `/api/mo/${BD}.json`)).status).toBe(200);
	});

	it("works by status, alone and inside a tree", async () => {
		await postObject("uni/tn-Retail-01", {
			fvTenant: {
				attributes: {},
				children: [
					{ fvBD: { attributes: { name: "bd-001", status: "deleted" } } },
					{ fvBD: { attributes: { name: "bd-new" } } },
				],
			},
		});
		expect(await listAttributes(BD)).toBeUndefined();
		expect(await listAttributes("uni/tn-Retail-01/BD-bd-new")).toBeDefined();
		expect((await postObject(BD, { fvBD: { attributes: { status: "deleted" } } })).status).toBe(200);
	});

	it("gives what is made anew another identity", async () => {
		await postObject("uni/tn-Retail-01", { fvBD: { attributes: { name: "n" } } });
		const first = await listAttributes("uni/tn-Retail-01/BD-n");
		await client.request("DELETE", "/api/mo/uni/tn-Retail-01/BD-n.json");
		await postObject("uni/tn-Retail-01", { fvBD: { attributes: { name: "n" } } });
		const second = await listAttributes("uni/tn-Retail-01/BD-n");
		expect([second?.pcTag, second?.seg]).not.toEqual([first?.pcTag, first?.seg]);
	});
});

describe("refusals", () => {
	const inTenant = (cls: string, attributes: Record<string, string>) =>
		["uni/tn-Retail-01", { [cls]: { attributes } }] as const;

	it.each([
		["an unknown class", ...inTenant("fvFoobar", { name: "x" }), "122", "unknown managed object class fvFoobar"],
		["an abstract class", ...inTenant("fvEPg", { name: "x" }), "122", "unknown managed object class fvEPg"],
		[
			"an unknown attribute",
			"uni/tn-x",
			{ fvTenant: { attributes: { description: "x" } } },
			"400",
			"unknown attribute 'description' in element 'fvTenant'",
		],
		[
			"an unknown literal",
			BD,
			{ fvBD: { attributes: { type: "wide" } } },
			"120",
			`unknown property value wide, name type, class fvBD [(Dn0)] Dn0=${BD}, `,
		],
		[
			"an unknown status",
			BD,
			{ fvBD: { attributes: { status: "gone" } } },
			"120",
			`unknown property value gone, name status, class fvBD [(Dn0)] Dn0=${BD}, `,
		],
		[
			"a bad text",
			BD,
			{ fvBD: { attributes: { descr: "an [invalid] text" } } },
			"801",
			`property descr of ${BD} failed validation for value 'an [invalid] text'`,
		],
		[
			"a bad name",
			"uni",
			{ fvTenant: { attributes: { name: "a b" } } },
			"801",
			"property name of uni/tn-a b failed validation for value 'a b'",
		],
		[
			"a missing parent",
			"uni/tn-none/BD-b",
			{ fvBD: { attributes: { name: "b" } } },
			"102",
			"configured object ((Dn0)) not found Dn0=uni/tn-none, ",
		],
		[
			"modified on what is not there",
			"uni/tn-x",
			{ fvTenant: { attributes: { status: "modified" } } },
			"102",
			"configured object ((Dn0)) not found Dn0=uni/tn-x, ",
		],
		[
			"created on what is there",
			BD,
			{ fvBD: { attributes: { status: "created" } } },
			"103",
			`Cannot create Bridge Domain (fvBD); object ${BD} already exists.`,
		],
		[
			"a wrong RN",
			"uni/tn-Retail-01",
			{ fvBD: { attributes: { dn: "uni/tn-Retail-01/bd-x" } } },
			"104",
			"Invalid RN bd-x",
		],
		["no name", ...inTenant("fvBD", {}), "104", "Invalid RN BD-"],
		["a wrong parent", ...inTenant("vzEntry", { name: "x" }), "104", "Invalid RN e-x"],
		[
			"a name against the DN",
			BD,
			{ fvBD: { attributes: { dn: BD, name: "other" } } },
			"100",
			`Validation failed: naming property name of ${BD} is 'other'`,
		],
		[
			"an operational property",
			BD,
			{ fvBD: { attributes: { pcTag: "5" } } },
			"105",
			`Cannot modify property pcTag of ${BD}, it is not configurable`,
		],
		[
			"a class of the system",
			BD,
			{ faultInst: { attributes: { code: "F0467" } } },
			"202",
			`Object of class faultInst is not creatable by user, Dn=${BD}/fault-F0467`,
		],
		[
			"deleting the common tenant",
			"uni/tn-common",
			{ fvTenant: { attributes: { status: "deleted" } } },
			"107",
			"Cannot delete object of class:fvTenant, Dn=uni/tn-common",
		],
		[
			"attributes after children",
			"uni",
			'{"fvTenant":{"children":[],"attributes":{"name":"x"}}}',
			"400",
			"invalid data at line '1'. Attributes are missing, tag 'attributes' must be specified first, before any other tag",
		],
		[
			"no attributes",
			"uni",
			'{"fvTenant":{}}',
			"400",
			"invalid data at line '1'. Attributes are missing, tag 'attributes' must be specified first, before any other tag",
		],
		[
			"broken JSON",
			"uni",
			'{"fvTenant":{"attributes":{"name":',
			"400",
			"JSON parsing failed - incomplete attribute value at line: 1",
		],
	])("%s", async (_case, dn, body, code, text) => {
		const answer = await postObject(dn, body);
		expect(answer).toMatchObject({ status: 400, totalCount: "1", error: { code, text } });
	});

	it("of numbers out of range", async () => {
		const body = {
			infraAccPortP: {
				attributes: { name: "p" },
				children: [
					{
						infraHPortS: {
							attributes: { name: "s", type: "range" },
							children: [{ infraPortBlk: { attributes: { name: "b", fromPort: "500" } } }],
						},
					},
				],
			},
		};
		expect((await postObject("uni/infra", body)).error.code).toBe("120");
	});

	it("of DELETE on what holds the fabric together", async () => {
		expect((await client.request("DELETE", "/api/mo/uni.json")).error.code).toBe("107");
		expect((await client.request("DELETE", "/api/mo/topology/pod-1/node-101/sys.json")).error.code).toBe("107");
		expect((await client.request("DELETE", "/api/class/fvBD.json")).error.code).toBe("400");
	});

	it("broken XML", async () => {
		expect((await client.request("POST", "/api/mo/uni.xml", "<fvTenant name='x'><fvBD></fvTenant>")).text).toMatch(
			/<error code="400" text="XML parsing failed at line: 1"\/>/,
		);
	});

	it("leave nothing behind: the whole body is one transaction", async () => {
		const all = async () =>
			(await client.get("/api/mo/uni.json?query-target=subtree&query-target-filter=true()")).imdata
				.map((item) => JSON.stringify(item))
				.sort();
		const before = await all();
		const body = {
			fvTenant: {
				attributes: { descr: "half" },
				children: [
					{
						fvBD: {
							attributes: { name: "bd-001", descr: "half" },
							children: [{ fvRsCtx: { attributes: { tnFvCtxName: "vrf-02" } } }],
						},
					},
					{ fvBD: { attributes: { name: "half" }, children: [{ fvSubnet: { attributes: { ip: "10.0.0.1/24" } } }] } },
					{ fvBD: { attributes: { name: "bd-002", status: "deleted" } } },
					{ fvCtx: { attributes: { name: "v", pcEnfPref: "perhaps" } } },
				],
			},
		};
		expect((await postObject("uni/tn-Retail-01", body)).error.code).toBe("120");
		expect(await all()).toEqual(before);
	});
});
