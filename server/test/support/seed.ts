/**
 * Property tests draw the same cases in every run, so that a failure is the change's doing and can be repeated.
 * `WEFT_TEST_SEED=random` (or a number) explores others; fast-check prints the seed of what fails.
 */
import fc from "fast-check";

const wanted = process.env.WEFT_TEST_SEED ?? "1";
if (wanted !== "random") fc.configureGlobal({ seed: Number(wanted) });
