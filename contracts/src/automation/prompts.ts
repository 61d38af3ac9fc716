/** Launch prompts: fields of a launch that the server's template asks for (`ask_*_on_launch`). */
import * as z from "zod";
import { defineList } from "../core/bounded.ts";
import { intRef } from "../core/common.ts";
import { defineInteger, getText, removeDuplicates } from "./common.ts";
import { AUTOMATION_LIMITS, LAUNCH_PROMPTS } from "./values.ts";

/** An empty text sets nothing, as null. */
const promptText = getText(AUTOMATION_LIMITS.prompt)
	.transform((text) => (text.trim() === "" ? null : text.trim()))
	.nullable();
const MAX_INT = 2_147_483_647;

/** Null: not set, the server's template decides. */
export const promptFields = {
	/** A host pattern of Ansible. */
	limit: promptText,
	/** Tags with commas. */
	job_tags: promptText,
	skip_tags: promptText,
	verbosity: defineInteger(0, 5).nullable(),
	forks: defineInteger(0, 10_000).nullable(),
	/** Seconds; 0: none. */
	timeout: defineInteger(0, MAX_INT).nullable(),
	diff_mode: z.boolean("Must be true or false.").nullable(),
	/** Ids of labels of the server. */
	labels: defineList(intRef, { max: AUTOMATION_LIMITS.labels, error: "Must be a list of ids of labels of the server." })
		.transform(removeDuplicates)
		.nullable(),
	/** Id of an inventory of the server. */
	inventory: intRef.nullable(),
	/** Id of an execution environment of the server. */
	execution_environment: intRef.nullable(),
};

/** As answers show them. */
export const shownPrompts = {
	limit: z.string().nullable(),
	job_tags: z.string().nullable(),
	skip_tags: z.string().nullable(),
	verbosity: z.int().nullable(),
	forks: z.int().nullable(),
	timeout: z.int().nullable(),
	diff_mode: z.boolean().nullable(),
	labels: z.array(z.int()).nullable(),
	inventory: z.int().nullable(),
	execution_environment: z.int().nullable(),
};

const shown = z.object(shownPrompts);
/** Values that are set. */
export type LaunchPromptValues = {
	readonly [Name in keyof z.infer<typeof shown>]?: NonNullable<z.infer<typeof shown>[Name]>;
};

export const askable = defineList(z.enum(LAUNCH_PROMPTS, { error: `Must be one of: ${LAUNCH_PROMPTS.join(", ")}.` }), {
	max: LAUNCH_PROMPTS.length,
	error: "Must be a list of names of launch prompts.",
}).transform(removeDuplicates);
