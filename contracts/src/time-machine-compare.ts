/** What differs between two snapshots. */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";

export const compareBody = z.object({
	/** The earlier snapshot. */
	snapshot_from_id: uuid,
	/** The later snapshot. */
	snapshot_to_id: uuid,
});

export const compareQuery = z.object({
	/** `ndjson` streams one entry a line, with `change` naming what it is. */
	format: z.enum(["json", "ndjson"]).default("json"),
});

const comparedSnapshot = z.object({ id: z.string(), executed_at: timestamp, result_count: z.int() });

/** An object as captured, class included, without nested children that are objects of their own. */
const managedObject = z.record(z.string(), z.unknown());

export const attributeChange = z.object({
	/** An attribute; or `children`, `className`, or another member beside the attributes. */
	key: z.string(),
	/** Null where the attribute was absent. */
	old: z.unknown(),
	new: z.unknown(),
});

const entry = { dn: z.string(), class_name: z.string().nullable() };

/** An object that only one of the two snapshots has. */
export const presenceEntry = z.object({ ...entry, object: managedObject });
export const modifiedEntry = z.object({
	...entry,
	before: managedObject,
	after: managedObject,
	/** Sorted by key. */
	attribute_changes: z.array(attributeChange),
});

export const changeCounts = z.object({ added: z.int(), deleted: z.int(), modified: z.int() });
export type ChangeCounts = z.infer<typeof changeCounts>;

export const compareAnswer = z.object({
	snapshot_from: comparedSnapshot,
	snapshot_to: comparedSnapshot,
	identical: z.boolean(),
	/** Entries are sorted by dn. */
	diff: z.object({
		added: z.array(presenceEntry),
		deleted: z.array(presenceEntry),
		modified: z.array(modifiedEntry),
		total_changes: z.int(),
	}),
	/** By class name; `""` where it is unknown. */
	summary: z.record(z.string(), changeCounts),
	/** Rows without a dn, which cannot be compared, and whether they differ as a whole. */
	skipped: z.object({ from: z.int(), to: z.int(), differ: z.boolean() }),
});
export type CompareAnswer = z.infer<typeof compareAnswer>;

/** A line of `?format=ndjson`. */
export const compareLine = z.union([
	presenceEntry.extend({ change: z.enum(["added", "deleted"]) }),
	modifiedEntry.extend({ change: z.literal("modified") }),
]);
