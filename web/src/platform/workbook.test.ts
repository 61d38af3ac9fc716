import { readXlsx } from "hucre/xlsx";
import { describe, expect, it } from "vitest";
import { nameFile, writeWorkbook } from "./workbook.ts";

const write = async (columns: readonly string[], rows: readonly (readonly string[])[]) => {
	const bytes = await writeWorkbook([{ name: "Rows", columns, count: rows.length, row: (at) => rows[at] ?? [] }]);
	const { sheets } = await readXlsx(bytes, { readStyles: true });
	return sheets[0];
};

describe("a workbook", () => {
	it("has numbers as numbers, and texts that a number would change as texts", async () => {
		const sheet = await write(["mtu", "code", "big", "descr"], [["9000", "007", "18446744073709551615", "=1+1"]]);
		expect(sheet?.rows).toEqual([
			["mtu", "code", "big", "descr"],
			[9000, "007", "18446744073709551615", "=1+1"],
		]);
	});

	it("has a bold head that stays in view, a filter over all columns, and columns as wide as their texts", async () => {
		const columns = Array.from({ length: 28 }, (_, at) => `column ${at}`);
		const sheet = await write(columns, [columns.map((_, at) => "x".repeat(at * 10))]);
		expect(sheet?.freezePane).toMatchObject({ rows: 1 });
		expect(sheet?.autoFilter?.range).toBe("A1:AB2");
		expect(sheet?.cells?.get("0,27")?.style?.font?.bold).toBe(true);
		const widths = sheet?.columns?.map(({ width }) => Math.round(width ?? 0)) ?? [];
		expect([widths[0], widths[3], widths[27]]).toEqual([10, 32, 60]);
	});

	it("refuses more cells, and a longer value, than a workbook takes", async () => {
		await expect(writeWorkbook([{ name: "Rows", columns: ["a"], count: 3_000_001, row: () => [""] }])).rejects.toThrow(
			"These are too many cells for a workbook",
		);
		await expect(write(["descr"], [["x".repeat(32_768)]])).rejects.toThrow("A value of descr is too long for a cell");
	});
});

describe("the name of a file", () => {
	it.each([
		["VLANs in use", ["fab-dc1", "fab-dc2"], "2026-11-29", "VLANs-in-use-fab-dc1-fab-dc2-2026-11-29"],
		["Übersicht: a/b", [], "", "Übersicht-a-b"],
		["All", ["a", "b", "c", "d"], "2026-11-29", "All-4-fabrics-2026-11-29"],
	])("of %s on %j is made of query, fabrics and day", (query, fabrics, day, expected) => {
		expect(nameFile(query, fabrics, day)).toBe(expected);
	});
});
