import { expect, it } from "vitest";
import { formatWhen, parseWhen, type WhenKind } from "./when.ts";

const TABLE: readonly (readonly [kind: WhenKind, text: string, value: string | null])[] = [
	["date", "2026-11-29", "2026-11-29"],
	["date", " 2026-11-29 ", "2026-11-29"],
	["date", "2024-02-29", "2024-02-29"],
	["date", "2026-02-29", null],
	["date", "2026-13-01", null],
	["date", "29.11.2026", null],
	["date", "11/29/2026", null],
	["date", "2026-11-29 18:00", null],
	["datetime", "2026-11-29 18:00", "2026-11-29T18:00"],
	["datetime", "2026-11-29T18:00", "2026-11-29T18:00"],
	["datetime", "2026-11-29 18:00:05", "2026-11-29T18:00:05"],
	["datetime", "2026-11-29 24:00", null],
	["datetime", "2026-11-31 10:00", null],
	["datetime", "2026-11-29", null],
	["time", "06:30", "06:30"],
	["time", "6:30", null],
	["time", "06:60", null],
	["time", "06:30 PM", null],
	["time", "", null],
];

for (const [kind, text, value] of TABLE) {
	it(`reads ${JSON.stringify(text)} as ${value ?? `no ${kind}`}`, () => {
		expect(parseWhen(kind, text)).toBe(value);
		if (value !== null) expect(parseWhen(kind, formatWhen(value))).toBe(value);
	});
}
