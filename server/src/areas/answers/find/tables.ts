/** The tables of the index of objects. */
import type { FindKind, FoundObject } from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		object_indexes: ObjectIndexesTable;
		indexed_snapshots: IndexedSnapshotsTable;
		indexed_objects: IndexedObjectsTable;
		object_terms: ObjectTermsTable;
		live_finds: LiveFindsTable;
		live_find_runs: LiveFindRunsTable;
	}
}

export interface ObjectIndexesTable {
	history_id: string;
	saved_query_id: string;
	/** Null until a snapshot of a connection is indexed. */
	connection_id: string | null;
	/** The history's revision that the index has; -1 before the first. */
	revision: Generated<number>;
	/** The highest position that rows of the index may mention. */
	position: Generated<number>;
	/** Snapshots of the history that the index had when it was complete. */
	snapshot_count: Generated<number>;
	held_by: string | null;
	held_until: ColumnType<Date | null, undefined, Date | null>;
}

export interface IndexedSnapshotsTable {
	snapshot_id: string;
	history_id: string;
	position: number;
	executed_at: Time;
}

export interface IndexedObjectsTable {
	id: Generated<string>;
	history_id: string;
	dn: string;
	/** Digests of the DN, of its parent's, and of the object that a relation leads to. */
	dn_key: string;
	parent_key: string | null;
	/** Digest of the DN with `*` for numbers of nodes and pods; null where it has none. */
	name_key: string | null;
	target_key: string | null;
	target_dn: string | null;
	class_name: string;
	label: string;
	/** Positions of the history's snapshots that have the object. */
	presence: string;
	/** Digest of the row's terms, which are written again when it changes. */
	terms_key: string;
}

export interface ObjectTermsTable {
	object_id: string;
	attribute: string;
	value: string;
	term: string;
	net: string | null;
	vlans: string | null;
}

export interface LiveFindsTable {
	id: string;
	user_id: number;
	kind: FindKind;
	normalized: string;
	created_at: Time;
}

/** An object of a controller's answer, with the order of its match. */
export type LiveObject = Pick<FoundObject, "dn" | "class_name" | "label" | "matched"> & {
	readonly rank: number;
	readonly tie: number;
	readonly seen_at: string;
};

export interface LiveFindRunsTable {
	id: string;
	live_find_id: string;
	/** Orders the runs, from 0 on. */
	position: number;
	connection_id: string;
	connection_name: string;
	status: "running" | "completed" | "failed";
	/** Null unless the run failed. */
	error: string | null;
	objects: Json<readonly LiveObject[]>;
	total: Generated<number>;
	/** False if the controller has more objects than were read. */
	is_total_exact: Generated<boolean>;
}
