import { readXlsx } from "hucre/xlsx";
import { expect, it } from "vitest";
import { createTimes } from "../platform/time.ts";
import { writeWorkbook } from "../platform/workbook.ts";
import { buildTrendSheet } from "./trend-sheet.ts";

const TIMES = createTimes({ timezone: "Europe/Paris", date_format: "YYYY-MM-DD", time_format: "24h" });

it("writes a row for each time, with numbers as numbers and each gap as an empty cell", async () => {
	const sheet = buildTrendSheet(
		[
			{
				name: "fab-a",
				points: [
					["2026-11-27T08:00:00.000Z", 3],
					["2026-11-29T08:00:00.000Z", 0],
				],
				breaks: ["2026-11-28T08:00:00.000Z"],
			},
			{ name: "fab-b", points: [["2026-11-29T08:00:00.000Z", 1.5]] },
		],
		TIMES,
	);
	const { sheets } = await readXlsx(await writeWorkbook([sheet]));
	expect(sheets[0]?.rows).toEqual([
		["Time (Europe/Paris)", "fab-a", "fab-b"],
		["2026-11-27 09:00:00", 3, null],
		["2026-11-28 09:00:00", null, null],
		["2026-11-29 09:00:00", 0, 1.5],
	]);
});
