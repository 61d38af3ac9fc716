/** What differs between two snapshots. */
import * as z from "zod";
import { defineList } from "../core/bounded.ts";
import { timestamp, timestampInput, uuid } from "../core/common.ts";
import { snapshotOrigin } from "./shapes.ts";
import { ATTRIBUTION_REASONS, COMPARE_FORMATS } from "./values.ts";

/**
 * Each side is a snapshot by id, or a point in time of a saved query: the latest snapshot at or
 * before `from` or `to`, or the latest one without a time. A side without a connection uses the
 * other side's.
 */
export const compareBody = z
	.object({
		snapshot_from_id: uuid.optional().meta({ description: "The earlier snapshot." }),
		snapshot_to_id: uuid.optional().meta({ description: "The later snapshot." }),
		saved_query_id: uuid.optional().meta({ description: "Of a side that is not given by id." }),
		from: timestampInput.optional().meta({ description: "The latest snapshot at or before it." }),
		to: timestampInput
			.optional()
			.meta({ description: "The latest snapshot at or before it; of all where it is absent." }),
		connection_from_id: uuid.optional().meta({ description: "The other side's where it is absent." }),
		connection_to_id: uuid.optional().meta({ description: "The other side's where it is absent." }),
		ignore: defineList(z.string().min(1, "This field may not be blank.").max(200), {
			max: 100,
			tooMany: "Must not have more than 100 attributes.",
		})
			.default([])
			.meta({
				description:
					"Attributes that modified objects are not compared by: `attribute`, or `Class.attribute` for one " +
					"class. Objects that differ in nothing else are left out of entries and counts.",
			}),
		ignore_volatile: z
			.boolean()
			.default(false)
			.meta({ description: "Nor by those of /api/time-machine/volatile-attributes/." }),
		ignore_identity: z
			.boolean()
			.default(false)
			.meta({
				description:
					"Nor by those of /api/time-machine/identity-attributes/, which name an object inside one fabric. " +
					"`match: name` implies it.",
			}),
		match: z
			.enum(["dn", "name"], { error: "Must be dn or name." })
			.default("dn")
			.meta({
				description:
					"Which objects of the two sides belong together: those with the same dn, or with the same name, which " +
					"is the dn without the numbers of nodes and pods. By name, entries are sorted by `key`.",
			}),
	})
	.superRefine((body, context) => {
		for (const [path, message] of findMisplacedFields(body))
			context.addIssue({ code: "custom", path: [path], message });
	});
export type CompareBody = z.infer<typeof compareBody>;

interface Sides {
	snapshot_from_id?: string | undefined;
	snapshot_to_id?: string | undefined;
	saved_query_id?: string | undefined;
	from?: string | undefined;
	to?: string | undefined;
	connection_from_id?: string | undefined;
	connection_to_id?: string | undefined;
}

/** What does not fit together, by field. */
function* findMisplacedFields(body: Sides): Generator<[string, string]> {
	const moments = [body.from, body.to, body.connection_from_id, body.connection_to_id].some(isGiven);
	for (const side of ["from", "to"] as const) {
		const id = `snapshot_${side}_id` as const;
		const connection = `connection_${side}_id` as const;
		if (!isGiven(body[id])) {
			if (!isGiven(body.saved_query_id) && !moments) yield [id, "This field is required."];
			continue;
		}
		for (const field of [side, connection] as const)
			if (isGiven(body[field])) yield [field, `Give ${id} or ${field}, not both.`];
	}
	if (moments && !isGiven(body.saved_query_id)) yield ["saved_query_id", "Needed with times and connections."];
	if (isGiven(body.saved_query_id) && ![body.snapshot_from_id, body.from, body.connection_from_id].some(isGiven))
		yield ["from", "Give from, connection_from_id or snapshot_from_id."];
}

function isGiven(value: string | undefined): boolean {
	return value !== undefined;
}

/** `query`: the drift rules of the saved query apply. */
export const rulesParam = z.enum(["query"], { error: "Must be query." }).optional();

export const compareQuery = z.object({
	format: z
		.enum(COMPARE_FORMATS)
		.default("json")
		.meta({
			description:
				"`ndjson` streams one entry a line, with `change` naming what it is. `csv` has a line for each " +
				"attribute that differs; `html` is a report that stands by itself; `summary` leaves the entries " +
				"out.",
		}),
	rules: rulesParam.meta({
		description:
			"The drift rules of the saved query of the later snapshot apply, beside `ignore` and `ignore_volatile`: " +
			"objects that they leave out are counted as ignored.",
	}),
	attribution: z
		.enum(["1"], { error: "Must be 1." })
		.optional()
		.meta({
			description:
				"Asks the controller who changed the objects, with the caller's right to use its connection. Without " +
				"it, only what was found when the snapshots were captured is shown.",
		}),
});
export type CompareQuery = z.infer<typeof compareQuery>;

/** A record of the controller about a change of an object. */
export const changedBy = z.object({
	user: z.string(),
	/** By the controller's clock. */
	at: timestamp,
	action: z.enum(["created", "modified", "deleted"]),
	/** Id of the user's session with the controller; null if the record names none. */
	session: z.string().nullable(),
});
export type ChangedBy = z.infer<typeof changedBy>;

/** Absent where nobody has asked the controller about the object. */
const attributed = {
	/** Newest first, at most 50. */
	changed_by: z.array(changedBy).optional(),
	/** If `changed_by` is empty: why; null if not all records could be read. */
	changed_by_reason: z.enum(ATTRIBUTION_REASONS).nullable().optional(),
};

export const attributionSummary = z.object({
	/** The controller's clock minus the service's; null if it is unknown. */
	clock_skew_ms: z.int().nullable(),
	/** Requests to the controller, logins included. */
	requests: z.int(),
	/** Whether all records were read that can be about these changes. */
	complete: z.boolean(),
	/** Why the records could not be read; null if they could. */
	error: z.string().nullable(),
});
export type AttributionSummary = z.infer<typeof attributionSummary>;

const comparedSnapshot = z.object({
	id: z.string(),
	executed_at: timestamp,
	result_count: z.int(),
	controller_connection_id: z.string().nullable(),
	controller_connection_name: z.string(),
	origin: snapshotOrigin,
});

/** An object as captured, class included, without nested children that are objects of their own. */
const managedObject = z.record(z.string(), z.unknown());

export const attributeChange = z.object({
	/** An attribute; or `children`, `className`, or another member beside the attributes. */
	key: z.string(),
	/** Null where the attribute was absent. */
	old: z.unknown(),
	new: z.unknown(),
	/**
	 * If the value is a comma-separated list, such as flags, or a reference: its parts that changed.
	 */
	parts: z
		.object({ kind: z.enum(["list", "reference"]), added: z.array(z.string()), removed: z.array(z.string()) })
		.optional(),
});

/** With `match: "name"`. */
const matched = {
	/** The name that both sides share: the dn with `*` for the numbers of nodes and pods. */
	key: z.string().optional(),
	/** Null where the earlier snapshot has no such object. */
	dn_from: z.string().nullable().optional(),
	/** Null where the later snapshot has no such object. */
	dn_to: z.string().nullable().optional(),
};

/** `dn` is that of the later snapshot; of a deleted object, that of the earlier one. */
const entry = { dn: z.string(), class_name: z.string().nullable(), ...matched, ...attributed };

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
	/** Of the whole comparison, by class name; `""` where it is unknown. */
	summary: z.record(z.string(), changeCounts),
	/** Rows without a dn, which cannot be compared, and whether they differ as a whole. */
	skipped: z.object({ from: z.int(), to: z.int(), differ: z.boolean() }),
	/** The ignored attributes, and how many objects differ in nothing else. */
	ignored: z.object({
		attributes: z.array(z.string()),
		volatile: z.boolean(),
		identity: z.boolean(),
		objects: z.int(),
	}),
	/** How it was found who changed what; absent if it was not looked up. */
	attribution: attributionSummary.optional(),
});
export type CompareAnswer = z.infer<typeof compareAnswer>;

/** `?format=summary`. */
export const compareSummary = compareAnswer.omit({ diff: true }).extend({ total_changes: z.int() });

/** A line of `?format=ndjson`. */
export const compareLine = z.union([
	presenceEntry.extend({ change: z.enum(["added", "deleted"]) }),
	modifiedEntry.extend({ change: z.literal("modified") }),
]);
export type CompareLine = z.infer<typeof compareLine>;

const attributeRule = z.object({
	/** Null for all attributes of the classes. */
	attribute: z.string().nullable(),
	/** A regular expression that names of classes match; null for every class. */
	classes: z.string().nullable(),
	reason: z.string(),
});

export const volatileAnswer = z.object({ rules: z.array(attributeRule) });

export const identityAnswer = z.object({ rules: z.array(attributeRule.extend({ attribute: z.string() })) });
