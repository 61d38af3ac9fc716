import { describe, expect, it } from "vitest";
import { createTimeBudget } from "./time-budget.ts";

describe("a time budget", () => {
	it("counts the uses of the last minute, for each user", () => {
		let now = 0;
		const budget = createTimeBudget(30_000, () => now);
		expect([budget.remaining(1), budget.waitMs(1)]).toEqual([30_000, 0]);
		now = 20_000;
		budget.add(1, 20_000);
		expect([budget.remaining(1), budget.waitMs(1)]).toEqual([10_000, 0]);
		now = 40_000;
		budget.add(1, 15_000);
		expect([budget.remaining(1), budget.waitMs(1)]).toEqual([-5_000, 40_000]);
		expect(budget.remaining(2)).toBe(30_000);
		now = 80_000;
		expect([budget.remaining(1), budget.waitMs(1)]).toEqual([15_000, 0]);
		now = 100_000;
		expect(budget.remaining(1)).toBe(30_000);
	});

	it("waits for the use after which some time is left", () => {
		let now = 10_000;
		const budget = createTimeBudget(10_000, () => now);
		budget.add(1, 4_000);
		now = 20_000;
		budget.add(1, 30_000);
		now = 30_000;
		expect([budget.remaining(1), budget.waitMs(1)]).toEqual([-24_000, 50_000]);
	});
});
