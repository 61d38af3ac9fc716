import { checkConfigs } from "@weft/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateRules } from "./evaluate.ts";
import { computeLineAt, DAY_MS, NO_PAST, type TrendPast } from "./trend.ts";

const createRow = (attributes: Record<string, string>) => ({ eqptTemp: { attributes } });

function evaluateTrend(config: object, rows: readonly object[], past: TrendPast = NO_PAST) {
	const rule = { type: "trend", config: checkConfigs.trend.parse(config) } as const;
	const pages = () => [rows as Record<string, unknown>[]];
	return evaluateRules([{ rule, kinds: {}, past }], [{ connection: "fab-dc1", pages }])[0];
}

/** Numbers of `days` days up to one day before the rows. */
const createPast = (numbers: readonly number[], key = ""): TrendPast => ({
	at: numbers.length * DAY_MS,
	lines: new Map([[key, numbers.map((number, day) => [day * DAY_MS, number] as const)]]),
	problem: null,
});

describe("the line through points", () => {
	it("goes through points of a line, wherever it is asked", () => {
		const anyLine = fc.tuple(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -1000, max: 1000 }));
		const anyDays = fc.uniqueArray(fc.integer({ min: 0, max: 20_000 }), { minLength: 2, maxLength: 30 });
		fc.assert(
			fc.property(anyLine, anyDays, fc.integer({ min: 0, max: 30_000 }), ([slope, start], days, asked) => {
				const points = days.map((day) => [day * DAY_MS, start + slope * day] as const);
				const found = computeLineAt(points, asked * DAY_MS) ?? Number.NaN;
				expect(Math.abs(found - (start + slope * asked))).toBeLessThan(1e-3 * (1 + Math.abs(slope * asked)));
			}),
		);
	});

	it.each([
		["no points", []],
		["one point", [[0, 5]]],
		[
			"points of one time",
			[
				[7, 5],
				[7, 9],
			],
		],
	] as [string, [number, number][]][])("does not exist for %s", (_, points) => {
		expect(computeLineAt(points, 100)).toBe(null);
	});
});

describe("a trend", () => {
	const rows = [createRow({ sensor: "a", value: "40.5" }), createRow({ sensor: "b", value: "80" })];

	it.each([
		["count", "le", 2, 0],
		["count", "lt", 2, 1],
		["sum", "eq", 120.5, 0],
		["avg", "gt", 60.25, 1],
		["max", "le", 79.9, 1],
		["min", "ge", 40.5, 0],
		["distinct", "ne", 2, 1],
	])("holds %s %s %s against the rows", (value, operator, threshold, violations) => {
		expect(evaluateTrend({ value, field: "value", operator, threshold }, rows)).toMatchObject({ violations });
	});

	it("names each group whose number does not hold", () => {
		const config = { value: "max", field: "eqptTemp.value", group_by: "sensor", operator: "lt", threshold: 70 };
		expect(evaluateTrend(config, rows)).toEqual({
			kind: "evaluated",
			violations: 1,
			sample: [{ connection: "fab-dc1", row: { sensor: "b", "max of eqptTemp.value": "80" } }],
		});
	});

	it("finds a violation where the line reaches the threshold in time, though the number holds", () => {
		const config = { value: "count", operator: "lt", threshold: 10 };
		const rising = createPast([2, 3, 4, 5, 6]);
		const seven = Array.from({ length: 7 }, (_, at) => createRow({ value: String(at) }));
		expect(evaluateTrend({ ...config, within_days: 2 }, seven, rising)).toMatchObject({ violations: 0 });
		expect(evaluateTrend({ ...config, within_days: 3 }, seven, rising)).toMatchObject({
			violations: 1,
			sample: [{ row: { count: "7", "in 3 days": "10" } }],
		});
		expect(evaluateTrend(config, seven, rising)).toMatchObject({ violations: 0 });
	});

	it("holds by its number alone while there are too few points for a line", () => {
		const config = { value: "count", operator: "lt", threshold: 3, within_days: 300 };
		expect(evaluateTrend(config, rows)).toMatchObject({ violations: 0 });
	});

	it("compares numbers with all their digits", () => {
		const large = [createRow({ value: "9007199254740991.1" })];
		const config = { value: "max", field: "value", operator: "le", threshold: Number.MAX_SAFE_INTEGER };
		expect(evaluateTrend(config, large)).toMatchObject({ violations: 1 });
	});

	it("refuses a trend where no value is a number, and where earlier numbers are not known", () => {
		const config = { value: "sum", field: "sensor", operator: "lt", threshold: 3 };
		expect(evaluateTrend(config, rows)).toMatchObject({ kind: "refused", error: expect.stringContaining("sensor") });
		const unknown = { ...NO_PAST, problem: "Not computed yet." };
		const line = { value: "count", operator: "lt", threshold: 9, within_days: 1 };
		expect(evaluateTrend(line, rows, unknown)).toEqual({ kind: "refused", error: "Not computed yet." });
	});

	it.each([
		[{ value: "sum", operator: "lt", threshold: 1 }, "field"],
		[{ value: "count", operator: "eq", threshold: 1, within_days: 3 }, "operator"],
		[{ value: "count", operator: "lt", threshold: 1, within_days: 0 }, "within_days"],
		[{ value: "count", operator: "lt" }, "threshold"],
	])("refuses the configuration %j under %s", (config, field) => {
		expect(checkConfigs.trend.safeParse(config).error?.issues[0]?.path).toEqual([field]);
	});
});
