/** The server's words about a job, as they are stored and shown. */
import { type Mask, maskTexts } from "../../../../platform/mask.ts";
import type { JobDetail, JobState } from "../../../../ports/automation-server.ts";

const WORDS_MAX = 2_000;

/** Masked as a whole, then cut, so that no secret is cut in two. */
export const storedWords = (text: string, mask: Mask): string =>
	mask(text).slice(0, WORDS_MAX).toWellFormed().replaceAll("\0", "");

/** Columns that hold words of the server. */
const WORDS = ["error", "explanation", "current_task", "cancel_error", "server_status"] as const;

/** Values of a row with the server's words masked and cut. */
export function maskWords<Values extends { readonly [Name in (typeof WORDS)[number]]?: unknown }>(
	values: Values,
	mask: Mask,
): Values {
	const words = WORDS.flatMap((name) => {
		const value = values[name];
		return typeof value === "string" ? [[name, storedWords(value, mask)]] : [];
	});
	return { ...values, ...Object.fromEntries(words) };
}

/** A warning with all its texts masked. */
export const maskWarning = <Warning extends { readonly message: string }>(warning: Warning, mask: Mask): Warning => ({
	...(maskTexts(warning, mask) as Warning),
	message: storedWords(warning.message, mask),
});

/** The server puts names into this form without escaping them, so that it is not always JSON. */
const PREVIOUS = /^Previous Task (Failed|Canceled): \{"job_type": "(.*?)", "job_name": "(.*)", "job_id": "?(\d+)"?\}$/s;

const NO_REASON = "The automation server could not run the job and gives no reason. Look at the job there.";

/** Why the job waits, or did not run; empty where there is nothing to say. */
export function explanationOf(job: JobState & Partial<Pick<JobDetail, "traceback">>): string {
	const [, end, type = "", name = "", id = ""] = PREVIOUS.exec(job.explanation) ?? [];
	if (end !== undefined) {
		const ended = end === "Failed" ? "failed" : "was cancelled";
		return `The ${type.replaceAll("_", " ")} "${name}" (job ${id}), on which the job depends, ${ended}.`;
	}
	if (job.explanation !== "" || job.status !== "error") return job.explanation;
	// The lines before the last one are places in the server's own code.
	const last = job.traceback?.trim().split("\n").at(-1)?.trim() ?? "";
	return last === "" ? NO_REASON : `The automation server could not run the job: ${last}`;
}
