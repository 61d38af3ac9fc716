import { describe, expect, it } from "vitest";
import type { Row } from "../../../../../core/rows/rows.ts";
import { readPostProcessors } from "../../../../queries/flow/rules/validation.ts";
import { createProcessorChain } from "./index.ts";

const createObject = (className: string, dn: string, more: Record<string, string> = {}): Row => ({
	[className]: { attributes: { dn, ...more } },
});

function joinRows(rows: readonly Row[], config: object, ...others: object[]): Record<string, unknown>[] {
	const read = readPostProcessors([{ type: "join", config }, ...others]);
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	const { each, all } = createProcessorChain(read.value);
	return [...(all?.(rows.flatMap(each)) ?? [])].map((row) => {
		const [body] = Object.values(row) as [{ attributes?: Record<string, unknown> } | string];
		return typeof body === "object" && body.attributes ? body.attributes : row;
	});
}

const rows = [
	createObject("fvBD", "uni/tn-a/BD-web", { name: "web", owner: "x" }),
	createObject("fvBD", "uni/tn-a/BD-db", { name: "db", owner: "" }),
	createObject("fvBD", "uni/tn-a/BD-web-2", { name: "web-2", owner: "y" }),
	createObject("fvRsCtx", "uni/tn-a/BD-web/rsctx", { tnFvCtxName: "prod", tDn: "uni/tn-a/ctx-prod" }),
	createObject("fvRsCtx", "uni/tn-a/BD-web-2/rsctx", { tnFvCtxName: "test", tDn: "uni/tn-a/ctx-test" }),
	createObject("fvSubnet", "uni/tn-a/BD-web/subnet-[10.0.2.1/24]", { ip: "10.0.2.1/24", scope: "public" }),
	createObject("fvSubnet", "uni/tn-a/BD-web/subnet-[10.0.1.1/24]", { ip: "10.0.1.1/24", scope: "public" }),
	createObject("fvTenant", "uni/tn-a", { name: "a", owner: "x" }),
	createObject("fvCtx", "uni/tn-a/ctx-prod", { name: "prod", owner: "" }),
];
const vrf = { class: "fvRsCtx", by: "child", fields: [{ field: "tnFvCtxName", as: "vrf" }], many: "first" };
const attachSubnets = (many: string, more: object = {}) => ({
	class: "fvSubnet",
	by: "child",
	fields: [{ field: "ip", as: "subnets" }],
	many,
	...more,
});
const pickColumns = (list: readonly Record<string, unknown>[], ...names: string[]) =>
	list.map((row) => names.map((name) => row[name]));

describe("a join", () => {
	const cases: [string, object, string[], unknown[][]][] = [
		[
			"gives one row per object of the base with the values of its children",
			{ base: "fvBD", attach: [vrf, attachSubnets("list")] },
			["name", "vrf", "subnets"],
			[
				["web", "prod", "10.0.1.1/24, 10.0.2.1/24"],
				["db", "", ""],
				["web-2", "test", ""],
			],
		],
		[
			"gives one row per pair, in the order of the partners' DNs",
			{ base: "fvBD", attach: [attachSubnets("rows")] },
			["dn", "subnets"],
			[
				["uni/tn-a/BD-web", "10.0.1.1/24"],
				["uni/tn-a/BD-web", "10.0.2.1/24"],
				["uni/tn-a/BD-db", ""],
				["uni/tn-a/BD-web-2", ""],
			],
		],
		[
			"counts partners without fields under a name of its own",
			{ base: "fvBD", attach: [{ class: "fvSubnet", by: "child", many: "count" }] },
			["name", "count_fvSubnet"],
			[
				["web", "2"],
				["db", "0"],
				["web-2", "0"],
			],
		],
		[
			"drops rows without a partner of an inner entry",
			{ base: "fvBD", attach: [vrf, attachSubnets("count", { inner: true })] },
			["name", "vrf", "subnets"],
			[["web", "prod", "2"]],
		],
		[
			"takes the first partner by DN",
			{ base: "fvBD", attach: [attachSubnets("first")] },
			["subnets"],
			[["10.0.1.1/24"], [""], [""]],
		],
		[
			"lists each value once",
			{ base: "fvBD", attach: [attachSubnets("list", { fields: [{ field: "scope", as: "scopes" }] })] },
			["scopes"],
			[["public"], [""], [""]],
		],
		[
			"finds the nearest ancestor of the class",
			{
				base: "fvSubnet",
				attach: [
					{ class: "fvBD", by: "parent", fields: [{ field: "name", as: "bd" }], many: "first" },
					{ class: "fvTenant", by: "parent", fields: [{ field: "name", as: "tenant" }], many: "list" },
				],
			},
			["ip", "bd", "tenant"],
			[
				["10.0.2.1/24", "web", "a"],
				["10.0.1.1/24", "web", "a"],
			],
		],
		[
			"follows a relation of the base to its target",
			{
				base: "fvRsCtx",
				attach: [{ class: "fvCtx", by: "relation", fields: [{ field: "name", as: "ctx" }], many: "first" }],
			},
			["tnFvCtxName", "ctx"],
			[
				["prod", "prod"],
				["test", ""],
			],
		],
		[
			"follows a relation of the others to the base",
			{
				base: "fvCtx",
				attach: [{ class: "fvRsCtx", by: "relation", fields: [{ field: "dn", as: "from" }], many: "list" }],
			},
			["from"],
			[["uni/tn-a/BD-web/rsctx"]],
		],
		[
			"compares attributes, of which empty ones are equal to none",
			{
				base: "fvBD",
				attach: [
					{
						class: "fvTenant",
						by: { base: "owner", other: "owner" },
						fields: [{ field: "name", as: "t" }],
						many: "list",
					},
					{ class: "fvCtx", by: { base: "owner", other: "owner" }, fields: [{ field: "name", as: "c" }], many: "list" },
				],
			},
			["name", "t", "c"],
			[
				["web", "a", ""],
				["db", "", ""],
				["web-2", "", ""],
			],
		],
		[
			"lets later entries use what earlier ones attached",
			{
				base: "fvBD",
				attach: [
					{ class: "fvRsCtx", by: "child", fields: [{ field: "tDn", as: "ctxDn" }], many: "first" },
					{ class: "fvCtx", by: { base: "ctxDn", other: "dn" }, fields: [{ field: "name", as: "ctx" }], many: "first" },
				],
			},
			["name", "ctx"],
			[
				["web", "prod"],
				["db", ""],
				["web-2", ""],
			],
		],
		[
			"joins a class with itself",
			{
				base: "fvBD",
				attach: [
					{ class: "fvBD", by: { base: "name", other: "name" }, fields: [{ field: "dn", as: "same" }], many: "count" },
				],
			},
			["name", "same"],
			[
				["web", "1"],
				["db", "1"],
				["web-2", "1"],
			],
		],
		["of a base without rows has none", { base: "fvAp", attach: [vrf] }, ["dn"], []],
	];
	it.each(cases)("%s", (_, config, names, expected) => {
		expect(pickColumns(joinRows(rows, config), ...names)).toEqual(expected);
	});

	it("keeps the attributes and children of the base", () => {
		const children = [createObject("fvRsBDToOut", "", { tnL3extOutName: "out" })];
		const base = { fvBD: { attributes: { dn: "uni/tn-a/BD-x", name: "x" }, children } };
		const read = readPostProcessors([{ type: "join", config: { base: "fvBD", attach: [vrf] } }]);
		const chain = createProcessorChain(read.ok ? read.value : []);
		expect([...(chain.all?.([base]) ?? [])]).toEqual([
			{ fvBD: { attributes: { dn: "uni/tn-a/BD-x", name: "x", vrf: "" }, children } },
		]);
		expect(base.fvBD.attributes).not.toHaveProperty("vrf");
	});

	it("takes names that every object of the language has as classes and fields like others", () => {
		const named = [createObject("constructor", "uni/a", { valueOf: "x" }), createObject("toString", "uni/a/b")];
		const fields = [{ field: "dn", as: "constructor" }];
		const attach = [{ class: "toString", by: "child", fields, many: "list" }];
		expect(pickColumns(joinRows(named, { base: "constructor", attach }), "constructor", "valueOf")).toEqual([
			["uni/a/b", "x"],
		]);
	});

	it("joins rows that were made flat before it", () => {
		const read = readPostProcessors([
			{ type: "flatten", config: {} },
			{ type: "join", config: { base: "fvBD", attach: [vrf] } },
		]);
		const { each, all } = createProcessorChain(read.ok ? read.value : []);
		expect([...(all?.(rows.flatMap(each)) ?? [])][0]).toEqual({
			class: "fvBD",
			dn: "uni/tn-a/BD-web",
			name: "web",
			owner: "x",
			vrf: "prod",
		});
	});

	it("is followed by other processors, which read its columns", () => {
		const config = { base: "fvBD", attach: [vrf] };
		const filter = { type: "filter_rows", config: { field: "vrf", value: "test" } };
		expect(pickColumns(joinRows(rows, config, filter), "name")).toEqual([["web-2"]]);
	});

	it("refuses a list that is longer than a value may be", () => {
		const many = Array.from({ length: 1_200 }, (_, i) =>
			createObject("fvSubnet", `uni/tn-a/BD-web/subnet-[${i}]`, { ip: `${i}`.padEnd(1_000, "x") }),
		);
		const config = { base: "fvBD", attach: [attachSubnets("list")] };
		expect(() => joinRows([...rows, ...many], config)).toThrow(/list of more than 1 MB.*narrow the attached class/);
	});

	it("does the work of a common value once, however many rows have it", () => {
		const count = 20_000;
		const left = Array.from({ length: count }, (_, i) => createObject("fvBD", `uni/l-${i}`, { owner: "x" }));
		let reads = 0;
		const right = Array.from({ length: count }, (_, i) => ({
			fvTenant: {
				attributes: {
					dn: `uni/r-${i}`,
					owner: "x",
					get name() {
						reads += 1;
						return "same";
					},
				},
			},
		}));
		const by = { base: "owner", other: "owner" };
		const attach = [{ class: "fvTenant", by, fields: [{ field: "name", as: "n" }], many: "list" }];
		const made = joinRows([...left, ...right], { base: "fvBD", attach });
		expect([made.length, made[0]?.n]).toEqual([count, "same"]);
		expect(reads).toBeLessThan(3 * count);
	});

	it("refuses groups of several values that pair too many objects", () => {
		const count = 3_000;
		const createSide = (className: string) =>
			Array.from({ length: count }, (_, i) => ({
				[className]: { attributes: { dn: `uni/${className}-${i}`, owner: ["x", `${i}`] } },
			}));
		const by = { base: "owner", other: "owner" };
		const attach = [{ class: "fvTenant", by, many: "count" }];
		expect(() => joinRows([...createSide("fvBD"), ...createSide("fvTenant")], { base: "fvBD", attach })).toThrow(
			/pairs more than 5,000,000 objects.*fields with one value/,
		);
	});
});
