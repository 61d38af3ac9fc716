/** A picture of a network: nodes and edges with their marks, and the snapshots that it shows. */
import * as z from "zod";
import { definePatternText } from "../../core/bounded.ts";
import { defineTrimmedText, timestamp, timestampInput, uuid } from "../../core/common.ts";
import { FINDING_SEVERITIES } from "../../history/drift/values.ts";
import { namedRef } from "../find/shapes.ts";
import { OBJECT_CHANGES } from "../objects/values.ts";
import {
	PICTURE_CLASS_STATUSES,
	PICTURE_EDGE_KINDS,
	PICTURE_LIMITS,
	PICTURE_NODE_KINDS,
	PICTURE_PARTIAL_REASONS,
	PICTURE_PARTS,
	PICTURE_STATES,
} from "./values.ts";

const HOURS_ERROR = `Must be a whole number of hours from 1 to ${PICTURE_LIMITS.hours}.`;

const pictureFields = {
	connection: uuid.meta({ description: "The id of a controller connection." }),
	at: timestampInput.optional().meta({
		description: "The moment: the picture shows the last snapshots until then. Without it, the latest snapshots.",
	}),
	hours: definePatternText(/^[0-9]{1,4}$/, 4, HOURS_ERROR)
		.transform(Number)
		.refine((hours) => hours >= 1 && hours <= PICTURE_LIMITS.hours, HOURS_ERROR)
		.default(PICTURE_LIMITS.usualHours)
		.meta({ description: "The picture marks the objects that changed within this number of hours before the moment." }),
};

export const topologyQuery = z.object(pictureFields);
export type TopologyQuery = z.output<typeof topologyQuery>;

export const tenantPictureQuery = z.object({
	...pictureFields,
	tenant: defineTrimmedText(200).optional().meta({ description: "Without it, the tenant with the most objects." }),
});
export type TenantPictureQuery = z.output<typeof tenantPictureQuery>;

const marks = {
	/** The change of the object itself; null if it did not change. */
	change: z.enum(OBJECT_CHANGES).nullable(),
	/** Number of changed objects below it that are not drawn themselves. */
	changes_below: z.int(),
	/** Up to five persons, in the order of their names. */
	changed_by: z.array(z.string()),
	/** The time of the last of these changes; null if there are none. */
	changed_at: timestamp.nullable(),
	/** Ids of failing checks whose evidence has the object or one below it. */
	checks: z.array(z.string()),
};

export const pictureNode = z.object({
	dn: z.string(),
	/** Null if no snapshot has the object: only a relation or a link names it. */
	class_name: z.string().nullable(),
	kind: z.enum(PICTURE_NODE_KINDS),
	label: z.string(),
	/** Null where objects of its class have no state. */
	state: z.enum(PICTURE_STATES).nullable(),
	/** Attributes for display; those that decide the state are among them. */
	facts: z.array(z.object({ name: z.string(), value: z.string() })),
	/** The tenant of another picture that has it; null if it belongs to this one. */
	tenant: z.string().nullable(),
	...marks,
});
export type PictureNode = z.infer<typeof pictureNode>;

export const pictureEdge = z.object({
	/** The DN of the link or of the relation. */
	dn: z.string(),
	class_name: z.string(),
	kind: z.enum(PICTURE_EDGE_KINDS),
	/** DNs of nodes of the picture. */
	from: z.string(),
	to: z.string(),
	/** Ports of a link; empty otherwise. */
	label: z.string(),
	state: z.enum(PICTURE_STATES).nullable(),
	...marks,
});
export type PictureEdge = z.infer<typeof pictureEdge>;

export const pictureClass = z.object({
	class_name: z.string(),
	status: z.enum(PICTURE_CLASS_STATUSES),
	/** Null unless partial. */
	reason: z.enum(PICTURE_PARTIAL_REASONS).nullable(),
	/** Null if missing. */
	source: z
		.object({
			saved_query: namedRef,
			snapshot_id: z.string(),
			taken_at: timestamp,
			/** When a run last found the same rows, up to the moment. */
			seen_at: timestamp,
			/** Number of objects of the class that were read. */
			objects: z.int(),
		})
		.nullable(),
	/** A query with snapshots that reads all objects of the class; null if the class is complete. */
	saved_query: namedRef.nullable(),
});
export type PictureClass = z.infer<typeof pictureClass>;

export const topologyPicture = z.object({
	connection: namedRef,
	/** Null: the latest snapshots. */
	at: timestamp.nullable(),
	/** Changes since then are marked. Later than requested if the feed has no older changes. */
	changes_since: timestamp,
	/** Whether snapshots of these classes are still being read into the feed of changes. */
	are_changes_pending: z.boolean(),
	classes: z.array(pictureClass),
	/** Sorted by kind and DN. A limit leaves out unmarked nodes first. */
	nodes: z.array(pictureNode),
	edges: z.array(pictureEdge),
	nodes_total: z.int(),
	edges_total: z.int(),
	/** Failing checks that are marked; null at a past moment, whose evidence is not stored. */
	checks: z.array(z.object({ id: z.string(), name: z.string(), severity: z.enum(FINDING_SEVERITIES) })).nullable(),
	/** Parts that a limit has cut. */
	truncated: z.array(z.enum(PICTURE_PARTS)),
});
export type TopologyPicture = z.infer<typeof topologyPicture>;

export const tenantPicture = topologyPicture.extend({
	/** Null if the snapshots have no tenant. */
	tenant: z.string().nullable(),
	/** All tenants of the snapshots, by name. */
	tenants: z.array(z.string()),
});
export type TenantPicture = z.infer<typeof tenantPicture>;
