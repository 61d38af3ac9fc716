import { describe, expect, it } from "vitest";
import { getHealth } from "./health.ts";

describe("the health of a store", () => {
	it("is good up to an answer after 500 ms, and degraded above", () => {
		expect([0, 500, 500.1, 501].map(getHealth)).toEqual(["healthy", "healthy", "degraded", "degraded"]);
	});
});
