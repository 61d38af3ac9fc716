/** Where the rows of an automation request may come from besides its body: a run of a query, or what changed between two snapshots. */
import * as z from "zod";
import { AUTOMATION_LIMITS, distinct, lineOf } from "./automation-common.ts";
import { uuid } from "./common.ts";

export const SNAPSHOT_CHANGES = ["added", "modified", "deleted"] as const;
export type SnapshotChange = (typeof SNAPSHOT_CHANGES)[number];

const source = {
	/** Which sheet the rows are for; not needed where the template has one. */
	sheet: lineOf(100).nullish(),
	/** Column → attribute, with or without its class: `name`, `fvTenant.name`. */
	mapping: z
		.record(lineOf(100), lineOf(200), { error: "Must be an object of attributes by column." })
		.refine((mapping) => Object.keys(mapping).length > 0, "Must name at least one column.")
		.refine(
			(mapping) => Object.keys(mapping).length <= AUTOMATION_LIMITS.columns,
			`Must name at most ${AUTOMATION_LIMITS.columns} columns.`,
		),
};

const queryRun = z.object({ type: z.literal("query_run"), pipeline_execution_id: uuid, ...source });

const snapshotComparison = z.object({
	type: z.literal("snapshot_comparison"),
	/** The earlier one, and the later one. */
	snapshot_from_id: uuid,
	snapshot_to_id: uuid,
	/** A row for each object that was added, modified (as it is after), or deleted (as it was before), in this order. */
	changes: z
		.array(z.enum(SNAPSHOT_CHANGES, { error: `Must be one of: ${SNAPSHOT_CHANGES.join(", ")}.` }))
		.min(1, "Must name at least one kind of change.")
		.transform(distinct)
		.default(["added", "modified"]),
	...source,
});

export const inputSource = z.discriminatedUnion("type", [queryRun, snapshotComparison], {
	error: "Must be an object with the type query_run or snapshot_comparison.",
});
export type InputSource = z.output<typeof inputSource>;
