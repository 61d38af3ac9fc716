/** Runs before each test file. */
import fc from "fast-check";
import { afterEach } from "vitest";
import "./equal-bytes.ts";

/**
 * Property tests draw the same cases in every run, so that a failure is caused by the change under
 * test and can be repeated. `WEFT_TEST_SEED=random` (or a number) explores other cases; fast-check
 * prints the seed of a failure.
 */
const seed = process.env.WEFT_TEST_SEED ?? "1";
if (seed !== "random") fc.configureGlobal({ seed: Number(seed) });

afterEach(({ task }) => {
	if ((task.result?.retryCount ?? 0) > 0 && task.result?.state !== "fail")
		process.stderr.write(`Second try: ${task.file.name}: ${task.name}: ${task.result?.errors?.[0]?.message}\n`);
});
