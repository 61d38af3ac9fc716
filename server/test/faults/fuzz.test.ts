/**
 * Generated requests to every route for `WEFT_FAULT_MINUTES`: none gets a 5xx, an undeclared
 * answer, or the event loop for itself. `WEFT_FAULT_SEED` selects the requests.
 */
import { expect, it } from "vitest";
import { fuzzService } from "./fuzz-run.ts";

const MINUTES = Number(process.env.WEFT_FAULT_MINUTES ?? 0.5);
const SEED = Number(process.env.WEFT_FAULT_SEED ?? 7);

it("withstands generated requests to every route", { timeout: (MINUTES + 8) * 60_000 }, async () => {
	process.stderr.write(`fuzz: seed ${SEED}\n`);
	const end = Date.now() + MINUTES * 60_000;
	const { failures, ...counts } = await fuzzService({
		seed: SEED,
		rounds: Number.POSITIVE_INFINITY,
		until: () => Date.now() > end,
	});
	process.stderr.write(`fuzz: ${JSON.stringify(counts)}\n`);
	expect(failures).toEqual([]);
});
