import { describe, expect, it } from "vitest";
import { findWindowSpan } from "./window-span.ts";

const NONE = { state: "planned", starts_at: null, ends_at: null, opened_at: null, finished_at: null } as const;
const formatHour = (hour: number) => new Date(Date.UTC(2026, 2, 14, hour)).toISOString();

describe("the span of a change window in a calendar", () => {
	it("findWindowSpan returns the planned times, else those of the work, and a day for a window without an end", () => {
		expect(
			findWindowSpan({ ...NONE, starts_at: formatHour(8), ends_at: formatHour(9), opened_at: formatHour(7) }),
		).toEqual({
			starts_at: formatHour(8),
			ends_at: formatHour(9),
		});
		expect(findWindowSpan({ ...NONE, state: "judged", opened_at: formatHour(7), finished_at: formatHour(9) })).toEqual({
			starts_at: formatHour(7),
			ends_at: formatHour(9),
		});
		expect(findWindowSpan({ ...NONE, state: "open", opened_at: formatHour(7) })).toEqual({
			starts_at: formatHour(7),
			ends_at: formatHour(31),
		});
	});

	it("findWindowSpan returns a quarter of an hour if the work ended before the planned start", () => {
		const span = findWindowSpan({
			...NONE,
			state: "closed",
			starts_at: formatHour(8),
			opened_at: formatHour(5),
			finished_at: formatHour(6),
		});
		expect(span).toEqual({ starts_at: formatHour(8), ends_at: "2026-03-14T08:15:00.000Z" });
	});

	it("findWindowSpan returns null without a time, for a draft, and for a cancelled or expired window", () => {
		expect(findWindowSpan(NONE)).toBeNull();
		for (const state of ["draft", "cancelled", "expired"] as const)
			expect(findWindowSpan({ ...NONE, state, starts_at: formatHour(8), ends_at: formatHour(9) })).toBeNull();
	});
});
