import { expect, test } from "vitest";
import { buildPagedQuery, countQuery } from "./order.ts";

const getOrder = (path: string, orderBy?: string) => {
	const query = buildPagedQuery(path, orderBy);
	const order = new URL(query.at(), "http://x").searchParams.get("order-by");
	return query.pageable ? order : `unpaged, ${order ?? "no order"}`;
};

test.each([
	["/api/class/fvBD.json", undefined, "fvBD.dn"],
	["/api/node/class/fvBD.json?rsp-subtree=full", undefined, "fvBD.dn"],
	["/api/node/class/topology/pod-1/node-101/l1PhysIf.json", undefined, "l1PhysIf.dn"],
	["/api/class/fvBD.xml", undefined, "fvBD.dn"],
	["/api/class/fvBD.json", "fvBD.name|desc", "fvBD.name|desc,fvBD.dn"],
	["/api/class/fvBD.json", "fvBD.name, fvBD.scope", "fvBD.name,fvBD.scope,fvBD.dn"],
	["/api/class/fvBD.json", "fvBD.dn|desc", "fvBD.dn|desc"],
	["/api/class/fvBD.json?order-by=fvBD.name%7Cdesc", undefined, "fvBD.name|desc,fvBD.dn"],
	["/api/class/fvBD.json?target-subtree-class=fvCtx", undefined, "fvBD.dn,fvCtx.dn"],
	["/api/class/fvTenant.json?query-target=subtree&target-subtree-class=fvBD,fvAEPg", undefined, "fvBD.dn,fvAEPg.dn"],
	["/api/mo/uni/tn-t.json?query-target=subtree&target-subtree-class=fvBD", undefined, "fvBD.dn"],
	["/api/mo/uni/tn-t.json?query-target=children&target-subtree-class=fvBD%2CfvCtx", undefined, "fvBD.dn,fvCtx.dn"],
	["/api/mo/uni/tn-t.json", undefined, "unpaged, no order"],
	["/api/mo/uni/tn-t.json?query-target=subtree", undefined, "unpaged, no order"],
	["/api/class/fvTenant.json?query-target=subtree", "fvBD.name", "unpaged, fvBD.name"],
	["/api/class/fvBD.json?rsp-subtree-include=count", undefined, "unpaged, no order"],
	["/api/class/fvBD.json?rsp-subtree-include=faults", undefined, "fvBD.dn"],
	["/api/class/fvBD.json?rsp-subtree-include=faults,no-scoped,subtree", undefined, "faultInst.dn"],
	[
		"/api/mo/uni.json?rsp-subtree-include=event-logs,no-scoped,subtree",
		"eventRecord.created|desc",
		"eventRecord.created|desc,eventRecord.dn",
	],
	["/api/class/fvBD.json?rsp-subtree-include=stats,no-scoped", undefined, "unpaged, no order"],
	["/api/class/fvBD.json?rsp-subtree-include=constructor,no-scoped", undefined, "unpaged, no order"],
])("%s ordered by %s: %s", (path, orderBy, order) => {
	expect(getOrder(path, orderBy)).toBe(order);
});

test("options other than the order keep their text and place", () => {
	const query = buildPagedQuery('/api/class/fvBD.json?order-by=fvBD.name&query-target-filter=eq(fvBD.name,"a|b")');
	expect(query.at({ index: 3, size: 200 })).toBe(
		"/api/class/fvBD.json?query-target-filter=eq(fvBD.name,%22a%7Cb%22)&order-by=fvBD.name,fvBD.dn&page=3&page-size=200",
	);
});

test.each(["page=1", "page-size=10"])("%s is left to the driver", (option) => {
	expect(() => buildPagedQuery(`/api/class/fvBD.json?${option}`)).toThrow(expect.objectContaining({ kind: "invalid" }));
});

test("counting asks for one object, unordered, and not for the count option", () => {
	expect(countQuery("/api/class/fvBD.json?order-by=fvBD.name&query-target=self").path).toBe(
		"/api/class/fvBD.json?query-target=self&page=0&page-size=1",
	);
	expect(() => countQuery("/api/class/fvBD.json?rsp-subtree-include=count")).toThrow(
		expect.objectContaining({ kind: "invalid" }),
	);
});
