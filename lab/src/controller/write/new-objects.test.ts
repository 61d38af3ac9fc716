/** Children of new objects that nobody posts, and the answer about a write. */
import { describe, expect, it } from "vitest";
import { type TestAnswer, useTestClient } from "../testing.ts";

const client = await useTestClient();

const postObject = (dn: string, body: unknown, options = "") =>
	client.request("POST", `/api/mo/${dn}.json${options}`, body);
const getFirstObject = (answer: TestAnswer) => Object.values(answer.imdata[0] ?? {})[0];
const listChildClasses = (answer: TestAnswer) =>
	(getFirstObject(answer)?.children ?? []).flatMap((child) => Object.keys(child)).sort();
const listAttributes = async (dn: string) => getFirstObject(await client.get(`/api/mo/${dn}.json`))?.attributes;

const TREE = {
	fvTenant: {
		attributes: { name: "new" },
		children: [
			{ fvCtx: { attributes: { name: "v" } } },
			{ fvBD: { attributes: { name: "b" } } },
			{ fvAp: { attributes: { name: "a" }, children: [{ fvAEPg: { attributes: { name: "e" } } }] } },
		],
	},
};

describe("a new object", () => {
	it.each([
		["uni/tn-new", ["fvAp", "fvBD", "fvCtx", "fvRsTenantMonPol"]],
		["uni/tn-new/BD-b", ["fvRsBDToNdP", "fvRsBdToEpRet", "fvRsCtx", "fvRsIgmpsn", "fvRsMldsn"]],
		[
			"uni/tn-new/ctx-v",
			["fvRsBgpCtxPol", "fvRsCtxToEpRet", "fvRsCtxToExtRouteTagPol", "fvRsOspfCtxPol", "fvRsVrfValidationPol", "vzAny"],
		],
		["uni/tn-new/ap-a/epg-e", ["fvRsBd", "fvRsCustQosPol"]],
	])("%s has its implicit relations", async (dn, expected) => {
		await postObject("uni", TREE);
		expect(listChildClasses(await client.get(`/api/mo/${dn}.json?rsp-subtree=children`))).toEqual(expected);
	});

	it.each([
		["uni/tn-Retail-01/ap-a/esg-s", "fvESg", ["fvRsScope"]],
		["uni/tn-Retail-01/l2out-o", "l2extOut", ["l2extRsEBd"]],
		["uni/fabric/comm-own", "commPol", ["commHttp", "commHttps", "commSsh", "commTelnet"]],
		["uni/infra/funcprof/accbundle-b", "infraAccBndlGrp", ["infraRsHIfPol", "infraRsLacpPol", "infraRsLldpIfPol"]],
	])("%s has them although %s is known by name only", async (dn, cls, expected) => {
		await postObject("uni/tn-Retail-01/ap-a", { fvAp: { attributes: {} } });
		await postObject(dn, { [cls]: { attributes: {} } });
		const found = listChildClasses(await client.get(`/api/mo/${dn}.json?rsp-subtree=children`));
		expect(found).toEqual(expect.arrayContaining(expected));
	});

	it("takes the default policy until a name is set, and again when it is cleared", async () => {
		await postObject("uni", TREE);
		const dn = "uni/tn-new/BD-b/rsigmpsn";
		const byDefault = {
			tnIgmpSnoopPolName: "",
			state: "formed",
			stateQual: "default-target",
			tDn: "uni/tn-common/snPol-default",
			tCl: "igmpSnoopPol",
		};
		expect(await listAttributes(dn)).toMatchObject(byDefault);
		await postObject("uni/tn-new/snPol-own", { igmpSnoopPol: { attributes: { name: "own" } } });
		await postObject(dn, { fvRsIgmpsn: { attributes: { tnIgmpSnoopPolName: "own" } } });
		expect(await listAttributes(dn)).toMatchObject({
			state: "formed",
			stateQual: "none",
			tDn: "uni/tn-new/snPol-own",
		});
		await postObject(dn, { fvRsIgmpsn: { attributes: { tnIgmpSnoopPolName: "" } } });
		expect(await listAttributes(dn)).toMatchObject(byDefault);
	});

	it("a port policy group points at the policies of its interfaces", async () => {
		await postObject("uni/infra/funcprof/accportgrp-g", {
			infraAccPortGrp: {
				attributes: { name: "g" },
				children: [{ infraRsLldpIfPol: { attributes: { tnLldpIfPolName: "enabled" } } }],
			},
		});
		expect(await listAttributes("uni/infra/funcprof/accportgrp-g/rslldpIfPol")).toMatchObject({
			state: "formed",
			tDn: "uni/infra/lldpIfP-enabled",
		});
		expect(await listAttributes("uni/infra/funcprof/accportgrp-g/rscdpIfPol")).toMatchObject({
			stateQual: "default-target",
			tDn: "uni/infra/cdpIfP-default",
		});
	});

	it.each(["uni/tn-new", "uni/tn-new/BD-b", "uni/tn-new/ctx-v", "uni/tn-new/ap-a", "uni/tn-new/ap-a/epg-e"])(
		"%s is healthy",
		async (dn) => {
			await postObject("uni", TREE);
			expect(await listAttributes(`${dn}/health`)).toMatchObject({ cur: "100", maxSev: "cleared" });
			expect(listChildClasses(await client.get(`/api/mo/${dn}.json?rsp-subtree-include=health,required`))).toEqual([
				"healthInst",
			]);
			await client.request("DELETE", `/api/mo/${dn}.json`);
			expect(await listAttributes(`${dn}/health`)).toBeUndefined();
		},
	);
});

describe("rsp-subtree=modified", () => {
	it("answers a created object with all its attributes", async () => {
		const answer = await postObject(
			"uni/tn-new",
			{ fvTenant: { attributes: { name: "new", descr: "x" } } },
			"?rsp-subtree=modified",
		);
		const { fvTenant } = answer.imdata[0] ?? {};
		expect(fvTenant?.attributes).toEqual({ ...(await listAttributes("uni/tn-new")), status: "created" });
		expect(fvTenant?.attributes).toMatchObject({ dn: "uni/tn-new", name: "new", descr: "x", nameAlias: "" });
		const open = await postObject(
			"uni/userext/pkiext/keyring-k",
			{ pkiKeyRing: { attributes: { name: "k", modulus: "mod2048" } } },
			"?rsp-subtree=modified",
		);
		expect(open.imdata[0]?.pkiKeyRing?.attributes).toMatchObject({ name: "k", modulus: "mod2048", status: "created" });
	});

	it("names each object once, deleted ones by their DN alone", async () => {
		await postObject("uni", TREE);
		const answer = await postObject(
			"uni/tn-new",
			{
				fvTenant: {
					attributes: { descr: "y" },
					children: [{ fvAp: { attributes: { name: "a", status: "deleted" } } }],
				},
			},
			"?rsp-subtree=modified",
		);
		expect(answer.imdata[0]?.fvTenant?.attributes).toMatchObject({ status: "modified", descr: "y" });
		expect(answer.imdata.slice(1).map((item) => Object.values(item)[0]?.attributes)).toEqual([
			{ dn: "uni/tn-new/ap-a", status: "deleted" },
			{ dn: "uni/tn-new/ap-a/epg-e", status: "deleted" },
			{ dn: "uni/tn-new/ap-a/epg-e/rsbd", status: "deleted" },
			{ dn: "uni/tn-new/ap-a/epg-e/rscustQosPol", status: "deleted" },
		]);
	});
});
