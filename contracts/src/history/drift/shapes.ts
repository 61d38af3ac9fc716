/** What counts as drift: the changes between two results that a user wants to know of. */
import * as z from "zod";
import { defineDictionary, defineList } from "../../core/bounded.ts";
import { DRIFT_LIMITS, FINDING_SEVERITIES } from "./values.ts";

const text = z
	.string()
	.trim()
	.min(1, "This field may not be blank.")
	.max(DRIFT_LIMITS.length, `Must have at most ${DRIFT_LIMITS.length} characters.`);
const defineTextList = (max: number = DRIFT_LIMITS.entries) =>
	defineList(text, { max, tooMany: `Must have at most ${max} entries.` });

const severities = defineDictionary(
	z.enum(FINDING_SEVERITIES, { error: `Must be one of: ${FINDING_SEVERITIES.join(", ")}.` }),
	{ max: DRIFT_LIMITS.entries },
);

/** Missing keys have their defaults. */
export const driftRules = z.strictObject({
	ignore: defineTextList()
		.default([])
		.meta({ description: "Attributes: `name`, `Class.name`, or a pattern of either with `*`." }),
	ignore_volatile: z
		.boolean()
		.default(true)
		.meta({ description: "Ignores the attributes of /api/time-machine/volatile-attributes/ too." }),
	ignore_classes: defineTextList().default([]).meta({ description: "Classes, or patterns of them with `*`." }),
	ignore_dns: defineTextList(DRIFT_LIMITS.dnPatterns)
		.default([])
		.meta({ description: "Regular expressions (RE2) that are found anywhere in a dn." }),
	severity: severities.default({}).meta({
		description:
			"By `Class`, `name` or `Class.name`. The most specific entry counts; of several changes the highest. " +
			"A change without an entry is a warning.",
	}),
	treat_as_set: defineTextList()
		.default([])
		.meta({ description: "Attributes (`name` or `Class.name`) whose commas separate values in any order." }),
});
export type DriftRules = z.output<typeof driftRules>;

/** Against the snapshot before on the same connection, after the query's drift rules. */
export const drift = z.object({
	added: z.int(),
	deleted: z.int(),
	modified: z.int(),
	/** Changed objects that the rules leave out. */
	ignored: z.int(),
	/** Null when nothing is added, deleted or modified. */
	severity: z.enum(FINDING_SEVERITIES).nullable(),
});
export type Drift = z.infer<typeof drift>;
