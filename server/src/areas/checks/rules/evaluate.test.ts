import { checkConfigs } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Row } from "../../../core/rows/rows.ts";
import { evaluateRules, type FieldKinds, type Outcome, type RowRule, type Source } from "./evaluate.ts";

const createBridgeDomain = (attributes: Record<string, string>, children: Row[] = []): Row => ({
	fvBD: { attributes, children },
});
const createSource = (rows: readonly Row[], connection = "fab-dc1", pageSize = 2, asBytes = false): Source => ({
	connection,
	*pages() {
		for (let at = 0; at < rows.length; at += pageSize) {
			const page = rows.slice(at, at + pageSize);
			yield asBytes ? Buffer.from(page.map((row) => JSON.stringify(row)).join(",")) : page;
		}
	},
});
const createRule = (type: RowRule["type"], config: object = {}): RowRule =>
	({ type, config: checkConfigs[type].parse(config) }) as RowRule;

function evaluateRule(
	type: RowRule["type"],
	config: object,
	rows: readonly Row[] | readonly Source[],
	kinds: FieldKinds = {},
) {
	const sources =
		rows.length > 0 && "pages" in (rows[0] as object) ? (rows as Source[]) : [createSource(rows as Row[])];
	return evaluateRules([{ rule: createRule(type, config), kinds }], sources)[0] as Outcome;
}
const getViolations = (outcome: Outcome): number | string =>
	outcome.kind === "evaluated" ? outcome.violations : outcome.error;
const pickSample = (outcome: Outcome) => (outcome.kind === "evaluated" ? outcome.sample : []);

const ROWS = [
	createBridgeDomain({ dn: "uni/tn-a/BD-1", name: "1", vrf: "x", mtu: "9000" }),
	createBridgeDomain({ dn: "uni/tn-a/BD-2", name: "2", vrf: "x", mtu: "900" }),
	createBridgeDomain({ dn: "uni/tn-b/BD-1", name: "1", vrf: "y", mtu: "inherit" }),
];

describe("row_count", () => {
	it.each([
		["eq", 3, 0],
		["eq", 2, 1],
		["ne", 3, 1],
		["gt", 2, 0],
		["gt", 3, 1],
		["lt", 4, 0],
		["lt", 3, 1],
		["ge", 3, 0],
		["ge", 4, 1],
		["le", 3, 0],
		["le", 2, 1],
	])("%s %i of three rows has %i violations", (operator, value, violations) => {
		expect(getViolations(evaluateRule("row_count", { operator, value }, ROWS))).toBe(violations);
	});

	it("counts an empty result", () => {
		expect(evaluateRule("row_count", { operator: "ge", value: 1 }, [])).toEqual({
			kind: "evaluated",
			violations: 1,
			sample: [{ connection: "fab-dc1", row: { count: 0 } }],
		});
	});

	it("counts each group", () => {
		const outcome = evaluateRule("row_count", { operator: "le", value: 1, group_by: ["vrf"] }, ROWS);
		expect(outcome).toMatchObject({ violations: 1, sample: [{ row: { vrf: "x", count: 2 } }] });
		expect(
			getViolations(evaluateRule("row_count", { operator: "eq", value: 9, group_by: ["vrf", "name"] }, ROWS)),
		).toBe(3);
		expect(getViolations(evaluateRule("row_count", { operator: "eq", value: 9, group_by: ["vrf"] }, []))).toBe(0);
	});
});

describe("no_rows", () => {
	it("is violated by each row", () => {
		expect(getViolations(evaluateRule("no_rows", {}, []))).toBe(0);
		expect(evaluateRule("no_rows", {}, ROWS)).toMatchObject({ violations: 3, sample: [{ row: ROWS[0] }, {}, {}] });
	});
});

describe("each_row", () => {
	const violations = (conditions: object[], kinds: FieldKinds = {}, match = "all") =>
		getViolations(evaluateRule("each_row", { conditions, match }, ROWS, kinds));

	it("is violated by the rows that miss a condition", () => {
		expect(violations([{ field: "name", operator: "eq", value: "1" }])).toBe(1);
		expect(
			violations([
				{ field: "name", value: "1" },
				{ field: "vrf", value: "x" },
			]),
		).toBe(2);
		expect(
			violations(
				[
					{ field: "name", value: "1" },
					{ field: "vrf", value: "x" },
				],
				{},
				"any",
			),
		).toBe(0);
		expect(violations([{ field: "dn", operator: "regex", value: "^uni/tn-[ab]/" }])).toBe(0);
		expect(violations([{ field: "absent", operator: "exists" }])).toBe(3);
	});

	it("compares by the type that the model gives a field", () => {
		const condition = [{ field: "mtu", operator: "gt", value: "1000" }];
		// Without a type other text comes after numbers; as a number "inherit" is none.
		expect(violations(condition)).toBe(1);
		expect(violations(condition, { mtu: "number" })).toBe(2);
		expect(violations(condition, { mtu: "text" })).toBe(0);
	});

	it("matches patterns in linear time", () => {
		const rows = [createBridgeDomain({ name: "a".repeat(50_000) })];
		const conditions = [{ field: "name", operator: "regex", value: "^(a+)+$" }];
		expect(getViolations(evaluateRule("each_row", { conditions }, rows))).toBe(0);
	});

	it("refuses a pattern that is none, and evaluates the others", () => {
		const broken = createRule("each_row", { conditions: [{ field: "name", operator: "regex", value: "(" }] });
		const outcomes = evaluateRules(
			[
				{ rule: broken, kinds: {} },
				{ rule: createRule("no_rows"), kinds: {} },
			],
			[createSource(ROWS)],
		);
		expect(outcomes[0]).toMatchObject({ kind: "refused", error: expect.stringContaining("regular expression") });
		expect(outcomes[1]).toMatchObject({ violations: 3 });
	});
});

describe("unique", () => {
	it("is violated by every row that shares its fields", () => {
		expect(getViolations(evaluateRule("unique", { fields: ["dn"] }, ROWS))).toBe(0);
		const outcome = evaluateRule("unique", { fields: ["name"] }, ROWS);
		expect(outcome).toMatchObject({ violations: 2, sample: [{ row: ROWS[0] }, { row: ROWS[2] }] });
		expect(getViolations(evaluateRule("unique", { fields: ["name", "vrf"] }, ROWS))).toBe(0);
	});

	it("leaves out rows without a value", () => {
		expect(
			getViolations(
				evaluateRule("unique", { fields: ["ip"] }, [
					createBridgeDomain({ ip: "" }),
					createBridgeDomain({ ip: "" }),
					createBridgeDomain({}),
				]),
			),
		).toBe(0);
	});

	it("looks across connections", () => {
		const sources = [
			createSource([createBridgeDomain({ ip: "10.0.0.1" })], "a"),
			createSource([createBridgeDomain({ ip: "10.0.0.1" })], "b"),
		];
		expect(pickSample(evaluateRule("unique", { fields: ["ip"] }, sources)).map(({ connection }) => connection)).toEqual(
			["a", "b"],
		);
	});
});

describe("same_everywhere", () => {
	const everywhere = (a: Row[], b: Row[], config: object = {}) =>
		evaluateRule("same_everywhere", config, [createSource(a, "a"), createSource(b, "b")]);

	it("holds for the same rows in any order", () => {
		expect(getViolations(everywhere(ROWS, [...ROWS].reverse()))).toBe(0);
		expect(getViolations(everywhere([], []))).toBe(0);
	});

	it("says what is missing and what differs", () => {
		const outcome = everywhere(
			[
				createBridgeDomain({ dn: "uni/tn-a/BD-1", name: "1", mtu: "9000", modTs: "x" }),
				createBridgeDomain({ name: "2" }),
			],
			[createBridgeDomain({ dn: "uni/tn-z/BD-1", name: "1", mtu: "1500", modTs: "y" })],
		);
		expect(outcome).toEqual({
			kind: "evaluated",
			violations: 2,
			sample: [
				{ connection: null, row: { name: "1", missing: [], differing: { mtu: { a: "9000", b: "1500" } } } },
				{ connection: null, row: { name: "2", missing: ["b"], differing: {} } },
			],
		});
	});

	it("compares the chosen fields only", () => {
		const [a, b] = [
			[createBridgeDomain({ name: "1", mtu: "1", descr: "x" })],
			[createBridgeDomain({ name: "1", mtu: "1", descr: "y" })],
		];
		expect(getViolations(everywhere(a, b))).toBe(1);
		expect(getViolations(everywhere(a, b, { fields: ["mtu"] }))).toBe(0);
		expect(getViolations(everywhere(a, b, { ignore: ["descr"] }))).toBe(0);
	});

	it("compares children in any order", () => {
		const child = (ip: string): Row => ({ fvSubnet: { attributes: { ip } } });
		const one = [createBridgeDomain({ name: "1" }, [child("10.0.0.1/24"), child("10.0.1.1/24")])];
		const other = [createBridgeDomain({ name: "1" }, [child("10.0.1.1/24"), child("10.0.0.1/24")])];
		expect(getViolations(everywhere(one, other))).toBe(0);
		expect(getViolations(everywhere(one, [createBridgeDomain({ name: "1" }, [child("10.0.0.1/24")])]))).toBe(1);
	});

	it("counts rows of one key", () => {
		const twice = [createBridgeDomain({ name: "1" }), createBridgeDomain({ name: "1" })];
		expect(getViolations(everywhere(twice, twice))).toBe(0);
		expect(getViolations(everywhere(twice, [createBridgeDomain({ name: "1" })]))).toBe(1);
	});
});

describe("evidence", () => {
	it("is bounded while the total is exact", () => {
		const many: Source = {
			connection: "a",
			*pages() {
				for (let page = 0; page < 100; page += 1) {
					yield Array.from({ length: 1_000 }, (_, i) =>
						createBridgeDomain({ name: String(i % 2), dn: `${page}/${i}` }),
					);
				}
			},
		};
		for (const [type, config] of [
			["no_rows", {}],
			["each_row", { conditions: [{ field: "name", value: "none" }] }],
			["unique", { fields: ["name"] }],
		] as const) {
			const outcome = evaluateRule(type, config, [many]);
			expect(getViolations(outcome)).toBe(100_000);
			expect(pickSample(outcome)).toHaveLength(200);
		}
	});

	it("has at most a megabyte", () => {
		const outcome = evaluateRule(
			"no_rows",
			{},
			Array.from({ length: 20 }, () => createBridgeDomain({ descr: "x".repeat(100_000) })),
		);
		expect(getViolations(outcome)).toBe(20);
		expect(pickSample(outcome)).toHaveLength(10);
	});
});

const anyValue = fc.constantFrom("", "1", "2", "10", "x");
const anyRow = fc.record({ name: anyValue, vrf: anyValue, mtu: anyValue });
type Flat = { name: string; vrf: string; mtu: string };
const anyRows = fc.array(anyRow, { maxLength: 12 });

describe("an evaluation of random rows equals a naive one", () => {
	const check = (
		type: RowRule["type"],
		getConfig: (random: { value: number; field: "name" | "vrf" }) => object,
		naive: (sources: readonly (readonly Flat[])[], random: { value: number; field: "name" | "vrf" }) => number,
	) =>
		fc.assert(
			fc.property(
				fc.array(anyRows, { minLength: 1, maxLength: 3 }),
				fc.record({ value: fc.integer({ min: 0, max: 6 }), field: fc.constantFrom("name" as const, "vrf" as const) }),
				fc.integer({ min: 1, max: 5 }),
				fc.boolean(),
				(all, random, pageSize, asBytes) => {
					const sources = all.map((rows, i) =>
						createSource(
							// As controllers send them: without children there is no such member.
							rows.map((attributes) => ({ fvBD: { attributes } })),
							`fab-${i}`,
							pageSize,
							asBytes,
						),
					);
					expect(getViolations(evaluateRule(type, getConfig(random), sources))).toBe(naive(all, random));
				},
			),
		);
	const grouped = (rows: readonly Flat[], field: "name" | "vrf") =>
		[...new Set(rows.map((row) => row[field]))].map((value) => rows.filter((row) => row[field] === value));

	it("row_count", () =>
		check(
			"row_count",
			({ value, field }) => ({ operator: "lt", value, group_by: [field] }),
			(all, { value, field }) => grouped(all.flat(), field).filter((group) => group.length >= value).length,
		));
	it("each_row", () =>
		check(
			"each_row",
			({ value, field }) => ({
				conditions: [
					{ field, operator: "ne", value },
					{ field: "mtu", operator: "exists" },
				],
			}),
			(all, { value, field }) => all.flat().filter((row) => row[field] === String(value) || row.mtu === "").length,
		));
	it("unique", () =>
		check(
			"unique",
			({ field }) => ({ fields: [field, "mtu"] }),
			(all, { field }) => {
				const rows = all.flat().filter((row) => row[field] !== "" && row.mtu !== "");
				return rows.filter(
					(row) => rows.filter((other) => other[field] === row[field] && other.mtu === row.mtu).length > 1,
				).length;
			},
		));
	it("same_everywhere", () =>
		check(
			"same_everywhere",
			() => ({}),
			(all) => {
				const names = [...new Set(all.flat().map(({ name }) => name))];
				const seenAs = (rows: readonly Flat[], name: string) =>
					rows
						.filter((row) => row.name === name)
						.map((row) => `${row.vrf},${row.mtu}`)
						.sort()
						.join(";");
				return names.filter((name) => new Set(all.map((rows) => seenAs(rows, name))).size > 1).length;
			},
		));
});
