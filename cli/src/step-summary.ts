/** The summary of a pipeline's step: a file in which GitHub Actions collects Markdown. */
import { appendFile } from "node:fs/promises";
import type { Context } from "./context.ts";

/** Appends to the file of GITHUB_STEP_SUMMARY. Notes a failure: it changes no result. */
export async function appendStepSummary({ stepSummary, note }: Context, text: string): Promise<void> {
	if (stepSummary === null) return;
	await appendFile(stepSummary, text).catch((error: unknown) =>
		note(`The summary could not be written: ${error instanceof Error ? error.message : String(error)}.`),
	);
}
