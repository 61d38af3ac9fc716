/** Addresses that stock clients use beside the plain ones, and the order of plain answers. */
import { describe, expect, it } from "vitest";
import { listClasses, listDns, useTestClient } from "../testing.ts";

const client = await useTestClient();

describe("the object without a name", () => {
	it("is the root of all", async () => {
		for (const path of ["/api/mo/.json", "/api/node/mo/.json"]) {
			const answer = await client.get(path);
			expect(answer).toMatchObject({ status: 200, totalCount: "1" });
			expect(answer.imdata).toEqual([{ topRoot: { attributes: { childAction: "", dn: "", status: "" } } }]);
		}
	});

	it("has the policies and the topology below it", async () => {
		expect(listClasses(await client.get("/api/mo/.json?query-target=children")).sort()).toEqual([
			"compUni",
			"fabricTopology",
			"polUni",
		]);
		const tenants = await client.get(
			"/api/mo/.json?query-target=subtree&target-subtree-class=fvTenant&order-by=fvTenant.dn",
		);
		expect(listDns(tenants)).toEqual(listDns(await client.get("/api/class/fvTenant.json?order-by=fvTenant.dn")));
		const faults = await client.get("/api/mo/.json?rsp-subtree-include=faults,no-scoped,subtree");
		expect(faults.totalCount).toBe((await client.get("/api/class/faultInfo.json?page-size=1")).totalCount);
		const audits = await client.get("/api/mo/.json?rsp-subtree-include=audit-logs,no-scoped,subtree&page-size=1");
		expect(audits.totalCount).toBe((await client.get("/api/class/aaaModLR.json?page-size=1")).totalCount);
	});

	it("takes trees that say themselves where they belong", async () => {
		const post = (body: unknown) => client.request("POST", "/api/mo/.json", body);
		expect(await post({ fvTenant: { attributes: { dn: "uni/tn-by-dn" } } })).toMatchObject({ status: 200 });
		expect(
			await post({ polUni: { attributes: {}, children: [{ fvTenant: { attributes: { name: "in-uni" } } }] } }),
		).toMatchObject({ status: 200 });
		expect(
			await post({
				topRoot: {
					attributes: {},
					children: [{ polUni: { attributes: {}, children: [{ fvTenant: { attributes: { rn: "tn-in-root" } } }] } }],
				},
			}),
		).toMatchObject({ status: 200 });
		const made = await client.get(
			'/api/class/fvTenant.json?query-target-filter=wcard(fvTenant.name,"^(by|in)-")&order-by=fvTenant.dn',
		);
		expect(listDns(made)).toEqual(["uni/tn-by-dn", "uni/tn-in-root", "uni/tn-in-uni"]);
		expect((await post({ fvTenant: { attributes: { name: "nowhere" } } })).error.code).toBe("104");
		expect((await client.request("DELETE", "/api/mo/.json")).error.code).toBe("107");
	});
});

describe("policymgr", () => {
	it("reads and writes objects like mo", async () => {
		const body = { fvTenant: { attributes: { name: "p" } } };
		expect(await client.request("POST", "/api/policymgr/mo/uni/tn-p.json", body)).toMatchObject({ status: 200 });
		expect(listDns(await client.get("/api/policymgr/mo/uni/tn-p.json"))).toEqual(["uni/tn-p"]);
		await client.request("POST", "/api/policymgr/mo/.json", { fvTenant: { attributes: { dn: "uni/tn-q" } } });
		expect(listDns(await client.get("/api/mo/uni/tn-q.json"))).toEqual(["uni/tn-q"]);
		await client.request("DELETE", "/api/policymgr/mo/uni/tn-p.json");
		expect((await client.get("/api/mo/uni/tn-p.json")).totalCount).toBe("0");
	});
});

describe("brackets around a value", () => {
	const POOL = "uni/infra/vlanns-[Servers]-static";

	it.each([
		["uni/infra/vlanns-Servers-static", POOL],
		["uni/tn-[Retail-01]/BD-[bd-001]", "uni/tn-Retail-01/BD-bd-001"],
		["uni/infra/vlanns-Servers-static/from-vlan-100-to-vlan-1999", `${POOL}/from-[vlan-100]-to-[vlan-1999]`],
	])("%s is %s", async (asked, dn) => {
		expect(listDns(await client.get(`/api/mo/${asked}.json`))).toEqual([dn]);
	});

	it("may be missing in writes too: the object keeps the name of its class's format", async () => {
		const body = { fvnsVlanInstP: { attributes: { name: "new", allocMode: "dynamic" } } };
		expect(await client.request("POST", "/api/mo/uni/infra/vlanns-new-dynamic.json", body)).toMatchObject({
			status: 200,
		});
		const block = { fvnsEncapBlk: { attributes: { dn: "uni/infra/vlanns-new-dynamic/from-vlan-5-to-vlan-6" } } };
		expect(await client.request("POST", "/api/mo/uni.json", block)).toMatchObject({ status: 200 });
		expect(
			listDns(await client.get("/api/mo/uni/infra/vlanns-[new]-dynamic.json?query-target=subtree")).sort(),
		).toEqual(["uni/infra/vlanns-[new]-dynamic", "uni/infra/vlanns-[new]-dynamic/from-[vlan-5]-to-[vlan-6]"]);
		await client.request("DELETE", "/api/mo/uni/infra/vlanns-new-dynamic.json");
		expect((await client.get("/api/mo/uni/infra/vlanns-[new]-dynamic.json")).totalCount).toBe("0");
	});
});

describe("order", () => {
	it("of an answer that is not paged is the same each time", async () => {
		for (const path of [
			"/api/class/fvRsPathAtt.json",
			"/api/class/fvEPg.json",
			"/api/mo/uni/tn-Retail-01.json?query-target=subtree",
			"/api/class/fvCEp.json?order-by=fvBD.dn",
		])
			expect(listDns(await client.get(path))).toEqual(listDns(await client.get(path)));
	});
});

describe("tags", () => {
	const TENANT = "uni/tn-Retail-01";

	it("of all three kinds go on any object, and are found from their class", async () => {
		await client.request("POST", `/api/mo/${TENANT}/annotationKey-[owner].json`, {
			tagAnnotation: { attributes: { key: "owner", value: "Team A / [room 1]" } },
		});
		await client.request("POST", "/api/mo/uni/infra/lldpIfP-default.json", {
			lldpIfPol: { attributes: {}, children: [{ tagTag: { attributes: { key: "site (main)", value: "a,b" } } }] },
		});
		await client.request("POST", `/api/mo/${TENANT}/relayp-r.json`, {
			dhcpRelayP: { attributes: { name: "r" }, children: [{ tagInst: { attributes: { name: "blue" } } }] },
		});
		const listOwners = async (cls: string, key: string) =>
			listDns(await client.get(`/api/class/${cls}.json?query-target-filter=eq(${cls}.key,"${key}")`));
		expect(await listOwners("tagAnnotation", "owner")).toEqual([`${TENANT}/annotationKey-[owner]`]);
		expect(await listOwners("tagTag", "site (main)")).toEqual(["uni/infra/lldpIfP-default/tagKey-site (main)"]);
		expect(listDns(await client.get("/api/tag/blue.json"))).toEqual([`${TENANT}/relayp-r`]);
		expect(listDns(await client.get(`/api/mo/${TENANT}/annotationKey-owner.json`))).toHaveLength(1);
	});

	it("are put on and taken off by the address of tags", async () => {
		const tag = (options: string) => client.request("POST", `/api/tag/mo/${TENANT}.json?${options}`);
		expect(await tag("add=red,green")).toMatchObject({ status: 200 });
		expect(listDns(await client.get("/api/tag/green.json"))).toEqual([TENANT]);
		await tag("add=[blue]&remove=[red,green]");
		expect((await client.get("/api/tag/green.json")).totalCount).toBe("0");
		expect(listDns(await client.get("/api/class/tagInst.json"))).toEqual([`${TENANT}/tag-blue`]);
		expect((await client.request("POST", "/api/tag/mo/uni/tn-none.json?add=x")).error.code).toBe("102");
	});
});
