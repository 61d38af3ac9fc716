import { expect, it } from "vitest";
import { createRandom } from "../random.ts";
import { type Cost, computeLatency } from "./latency.ts";

const QUERY: Cost = { kind: "query", objects: 0, nested: 0, logs: false, refused: false };

it.each([
	[QUERY, 250],
	[{ ...QUERY, objects: 1000 }, 450],
	[{ ...QUERY, objects: 36, nested: 72 }, 293],
	[{ ...QUERY, logs: true }, 3750],
	[{ ...QUERY, refused: true }, 6900],
	[{ ...QUERY, kind: "login" }, 500],
	[{ ...QUERY, kind: "logout" }, 100],
] as const)("%j takes about %d ms", (cost, expected) => {
	const random = createRandom(1);
	for (let at = 0; at < 100; at++) {
		const found = computeLatency(cost, random);
		expect(found).toBeGreaterThanOrEqual(Math.floor(expected * 0.85));
		expect(found).toBeLessThanOrEqual(Math.ceil(expected * 1.15));
	}
});
