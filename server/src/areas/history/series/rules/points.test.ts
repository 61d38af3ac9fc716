import { describe, expect, it } from "vitest";
import { writeSeriesCsv, writeSeriesOpenMetrics } from "./export.ts";
import { buildLines } from "./points.ts";

const createStep = (second: number, numbers: Record<string, string> | null) => ({
	at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
	numbers: numbers && JSON.stringify(Object.entries(numbers)),
});
const formatAt = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

describe("the lines of a series", () => {
	it("chooses the lines with the largest latest numbers, compared with all digits", () => {
		const steps = [
			createStep(0, { a: "9", b: "12345678901234567890" }),
			createStep(1, { a: "10", b: "12345678901234567890", c: "12345678901234567891" }),
		];
		const { lines, total } = buildLines(steps, "sum", 2);
		expect(lines.map(({ key }) => key)).toEqual(["c", "b"]);
		expect(total).toBe(3);
		expect(lines[0]?.points).toEqual([[formatAt(1), "12345678901234567891"]]);
	});

	it("draws no point where a step has no numbers", () => {
		const { lines } = buildLines(
			[createStep(0, { "": "1" }), createStep(1, null), createStep(2, { "": "3" })],
			"count",
			1,
		);
		expect(lines[0]?.points).toEqual([
			[formatAt(0), "1"],
			[formatAt(2), "3"],
		]);
	});

	it("draws 0 where a counted group has no rows, and no point there for other values", () => {
		const steps = [createStep(0, { a: "2", b: "1" }), createStep(1, { b: "1" })];
		expect(buildLines(steps, "count", 5).lines).toEqual([
			{
				key: "b",
				points: [
					[formatAt(0), "1"],
					[formatAt(1), "1"],
				],
			},
			{
				key: "a",
				points: [
					[formatAt(0), "2"],
					[formatAt(1), "0"],
				],
			},
		]);
		expect(buildLines(steps, "max", 5).lines.find(({ key }) => key === "a")?.points).toEqual([[formatAt(0), "2"]]);
	});
});

describe("exports of a series", () => {
	const series = {
		value: "count",
		field: null,
		groupBy: "fvBD.name",
		queryName: 'say "hi"\\',
		connectionName: "fab-dc1\nx",
		lines: [
			{
				key: "=cmd()",
				points: [[formatAt(0), "1"] as const, [formatAt(0), "2"] as const, [formatAt(1), "3"] as const],
			},
		],
	} as const;

	it("keeps spreadsheets from running a group's name", () => {
		expect([...writeSeriesCsv(series)].join("")).toBe(
			`time,fvBD.name,count\r\n${formatAt(0)},'=cmd(),1\r\n${formatAt(0)},'=cmd(),2\r\n${formatAt(1)},'=cmd(),3\r\n`,
		);
	});

	it("writes valid OpenMetrics: escaped labels, each time once, seconds, an end", () => {
		const labels = `query="say \\"hi\\"\\\\",connection="fab-dc1\\nx",value="count",field="",group_by="fvBD.name",group="=cmd()"`;
		expect([...writeSeriesOpenMetrics(series)].join("").split("\n")).toEqual([
			"# TYPE weft_series gauge",
			"# HELP weft_series A number of the snapshots of a saved query.",
			`weft_series{${labels}} 1 1767225600.000`,
			`weft_series{${labels}} 3 1767225601.000`,
			"# EOF",
			"",
		]);
	});
});
