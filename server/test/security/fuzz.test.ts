/**
 * The short form of the generated requests of `npm run test:faults -- fuzz`: one or two to each
 * route.
 */
import { expect, it } from "vitest";
import { fuzzService } from "../faults/fuzz-run.ts";

const SEED = 7;

it("withstands a few generated requests to every route", async () => {
	const { failures, requests, statuses } = await fuzzService({ seed: SEED, rounds: 2 });
	expect(failures).toEqual([]);
	expect(requests).toBeGreaterThan(300);
	// Three quarters are about objects that exist. Executions, imports and deliveries do not here:
	// they need another system.
	expect((statuses[404] ?? 0) / requests).toBeLessThan(0.25);
});
