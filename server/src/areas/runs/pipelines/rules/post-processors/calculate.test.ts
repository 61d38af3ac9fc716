/** The post-processor `calculate`, and its overlaps against a comparison of all pairs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBridgeDomain, parseProcessors, runProcessor } from "../../../../../../test/support/post-processing.ts";
import { getText } from "../../../../../core/rows/json.ts";
import { type Row, readValuesAt } from "../../../../../core/rows/rows.ts";

const runCalculation = (rows: readonly Row[], config: object): Row[] => runProcessor(rows, "calculate", config);
const readAll = (rows: readonly Row[], field: string) => rows.map((row) => readValuesAt(row, field)[0]);

describe("percent", () => {
	const config = { operation: "percent", field: "used", of: "limit", target: "percent" };

	it("writes the part of the whole with one decimal place, as text into an object", () => {
		expect(runCalculation([{ used: 1, limit: "3" }], config)).toEqual([{ used: 1, limit: "3", percent: 33.3 }]);
		const [object] = runCalculation([createBridgeDomain("a", { used: "4000", limit: "3960" })], config);
		expect(object).toMatchObject({ fvBD: { attributes: { percent: "101" } } });
	});

	it("leaves a row without two numbers, or with a whole of 0, as it is", () => {
		const rows = [{ used: "1" }, { used: "1", limit: "0" }, { used: "many", limit: "3" }, { used: "", limit: "3" }];
		expect(runCalculation(rows, config)).toEqual(rows);
	});
});

describe("free", () => {
	const config = {
		operation: "free",
		from: "from",
		to: "to",
		used: ["static", "deployed"],
		target: "free",
		usedTarget: "used",
		countTarget: "count",
	};
	const range = { from: "vlan-10", to: "vlan-19" };
	const cases: [string, Row, { free: string; used: string; count: number }][] = [
		["all without a used one", {}, { free: "10-19", used: "", count: 10 }],
		["both ends used", { static: "vlan-10, vlan-19" }, { free: "11-18", used: "10, 19", count: 8 }],
		[
			"used ones of several fields",
			{ static: "vlan-12", deployed: ["vlan-13", "vlan-12"] },
			{ free: "10-11, 14-19", used: "12-13", count: 8 },
		],
		["a used range that begins before", { static: "5-11" }, { free: "12-19", used: "10-11", count: 8 }],
		["none in a used range that is wider", { static: "vlan-1-4094" }, { free: "", used: "10-19", count: 0 }],
		["used ones elsewhere", { static: "vlan-9, vlan-20, unknown" }, { free: "10-19", used: "", count: 10 }],
	];
	it.each(cases)("lists %s", (_title, used, expected) => {
		expect(runCalculation([{ ...range, ...used }], config)).toEqual([{ ...range, ...used, ...expected }]);
	});

	it("leaves a row without a range as it is", () => {
		const rows = [{ from: "vlan-10" }, { from: "vlan-19", to: "vlan-10" }, { from: "all", to: "none" }];
		expect(runCalculation(rows, config)).toEqual(rows);
	});
});

describe("overlap", () => {
	const config = { operation: "overlap", field: "ip", groupBy: ["vrf"], show: "name", target: "others" };

	it("names the rows of the same group that contain a network, equal it, or lie in it", () => {
		const rows = [
			{ name: "a", vrf: "1", ip: "10.0.0.1/16" },
			{ name: "b", vrf: "1", ip: "10.0.5.1/24" },
			{ name: "c", vrf: "1", ip: "10.0.5.254/24" },
			{ name: "d", vrf: "1", ip: "10.1.0.1/24" },
			{ name: "e", vrf: "2", ip: "10.0.5.1/24" },
			{ name: "f", vrf: "1", ip: "::/0" },
			{ name: "g", vrf: "1", ip: "unknown" },
		];
		expect(readAll(runCalculation(rows, config), "others")).toEqual(["b, c", "a, c", "b, a", "", "", "", ""]);
	});

	it("names 20 rows and counts the others", () => {
		const rows = Array.from({ length: 25 }, (_, i) => ({ name: String(i), ip: `10.0.${i}.1/24` }));
		const [whole, one] = runCalculation([{ name: "all", ip: "10.0.0.0/8" }, ...rows], { ...config, groupBy: [] });
		expect(whole?.others).toBe(
			`${rows
				.slice(0, 20)
				.map(({ name }) => name)
				.join(", ")}, and 5 more`,
		);
		expect(one?.others).toBe("all");
	});

	it("finds the same pairs as a comparison of all pairs", () => {
		const network = fc.record({ base: fc.integer({ min: 0, max: 255 }), length: fc.integer({ min: 0, max: 8 }) });
		fc.assert(
			fc.property(fc.array(network, { maxLength: 18 }), (networks) => {
				const rows = networks.map(({ base, length }, i) => ({ name: `n${i}`, ip: `${base}.0.0.0/${length}` }));
				const found = runCalculation(rows, { ...config, groupBy: [] }).map(({ others }) =>
					(getText(others) ?? "")
						.split(", ")
						.filter((name) => name !== "")
						.sort(),
				);
				const expected = networks.map((own, i) =>
					networks
						.flatMap((other, k) => {
							const shift = 8 - Math.min(own.length, other.length);
							return k !== i && own.base >> shift === other.base >> shift ? [`n${k}`] : [];
						})
						.sort(),
				);
				expect(found).toEqual(expected);
			}),
		);
	});
});

it("refuses an unknown operation and missing fields", () => {
	for (const config of [{ operation: "sum" }, { operation: "percent", field: "a" }, { operation: "free", used: [] }])
		expect(() => parseProcessors({ type: "calculate", config })).toThrow(/config/);
});
