import { describe, expect, it } from "vitest";
import { getHealth } from "./health.ts";

describe("health of a store", () => {
	it("a store is good when it answers within 500 ms, and degraded above", () => {
		expect([0, 500, 500.1, 501].map(getHealth)).toEqual(["healthy", "healthy", "degraded", "degraded"]);
	});
});
