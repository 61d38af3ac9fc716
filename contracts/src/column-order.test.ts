import { expect, it } from "vitest";
import { orderColumns } from "./column-order.ts";

/** Attributes in the order in which a controller lists them: by name. */
const TABLE: readonly (readonly [className: string, given: string, expected: string])[] = [
	[
		"fvBD",
		"annotation arpFlood bcastP childAction descr dn mac modTs mtu name nameAlias ownerKey pcTag scope seg status uid unicastRoute",
		"dn name mac nameAlias arpFlood descr mtu unicastRoute annotation bcastP childAction ownerKey pcTag scope seg status uid modTs",
	],
	[
		"fabricNode",
		"adSt address childAction dn fabricSt id lastStateModTs model modTs name role serial status uid vendor version",
		"dn name id adSt fabricSt address model role vendor version childAction serial status uid lastStateModTs modTs",
	],
	[
		"fvCEp",
		"baseEpgDn childAction dn encap ip lcC mac modTs name uid",
		"dn name ip mac encap baseEpgDn childAction lcC uid modTs",
	],
	[
		"faultInst",
		"ack cause code created descr dn domain lastTransition lc severity type",
		"dn code severity cause lc ack descr domain type created lastTransition",
	],
	[
		"ethpmPhysIf",
		"bundleIndex dn lastLinkStChg operSpeed operSt usage",
		"dn operSt operSpeed usage bundleIndex lastLinkStChg",
	],
	["rows of several fabrics", "name dn class connection operSt", "connection class dn name operSt"],
	["fvRsCtx", "childAction dn modTs tCl tDn tnFvCtxName", "dn tDn tnFvCtxName childAction tCl modTs"],
];

for (const [className, given, expected] of TABLE) {
	it(`puts names, states and addresses first, ids and clocks last: ${className}`, () => {
		expect(orderColumns(given.split(" ")).join(" ")).toBe(expected);
	});
}

it("keeps the order of columns that a step of the query has arranged, behind those that name the row", () => {
	expect(orderColumns("class dn subnets modTs name mac".split(" "))).toEqual(
		"class dn name subnets modTs mac".split(" "),
	);
});

it("puts the columns of conditions before all others, each once, and leaves out those that are absent", () => {
	expect(orderColumns(["dn", "name", "mtu", "modTs"], ["mtu", "missing", "modTs", "mtu"])).toEqual([
		"mtu",
		"modTs",
		"dn",
		"name",
	]);
});

it("keeps every column, and changes nothing when it is applied again", () => {
	const names = TABLE.flatMap(([, given]) => given.split(" "));
	const unique = [...new Set(names)];
	const once = orderColumns(unique);
	expect([...once].sort()).toEqual([...unique].sort());
	expect(orderColumns(once)).toEqual(once);
});
