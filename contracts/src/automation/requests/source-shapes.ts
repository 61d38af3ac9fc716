/** Sources of an automation request's rows: a query run, or a comparison of two snapshots. */
import * as z from "zod";
import { defineDictionary, defineList } from "../../core/bounded.ts";
import { uuid } from "../../core/common.ts";
import { defineLine } from "../../core/text.ts";
import { removeDuplicates } from "../common.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import { SNAPSHOT_CHANGES } from "./values.ts";

const source = {
	/** Which sheet the rows are for; not needed where the template has one. */
	sheet: defineLine(100).nullish(),
	/** Column → attribute, with or without its class: `name`, `fvTenant.name`. */
	mapping: defineDictionary(defineLine(200), {
		max: AUTOMATION_LIMITS.columns,
		key: defineLine(100),
		error: "Must be an object of attributes by column.",
		tooMany: `Must name at most ${AUTOMATION_LIMITS.columns} columns.`,
	}).refine((mapping) => Object.keys(mapping).length > 0, "Must name at least one column."),
};

const queryRun = z.object({ type: z.literal("query_run"), pipeline_execution_id: uuid, ...source });

const snapshotComparison = z.object({
	type: z.literal("snapshot_comparison"),
	/** The earlier one, and the later one. */
	snapshot_from_id: uuid,
	snapshot_to_id: uuid,
	/**
	 * Kinds of change that become rows, in this order. A modified object has its new values, a
	 * deleted one its last.
	 */
	changes: defineList(z.enum(SNAPSHOT_CHANGES, { error: `Must be one of: ${SNAPSHOT_CHANGES.join(", ")}.` }), {
		max: 100,
	})
		.min(1, "Must name at least one kind of change.")
		.transform(removeDuplicates)
		.default(["added", "modified"]),
	...source,
});

export const inputSource = z.discriminatedUnion("type", [queryRun, snapshotComparison], {
	error: "Must be an object with the type query_run or snapshot_comparison.",
});
export type InputSource = z.output<typeof inputSource>;
