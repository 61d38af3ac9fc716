/** The tables of the feed of changes. */
import type { AttributionReason, ChangedBy, ObjectChangeKind } from "@weft/contracts";
import type { Generated } from "kysely";
import type { Json, Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		object_changes: ObjectChangesTable;
		change_cursors: ChangeCursorsTable;
	}
}

export interface ObjectChangesTable {
	id: Generated<number>;
	group_id: string;
	/** Whether no row of the group is earlier. False: that must be looked up. */
	is_lead: boolean;
	/** Whether the group has, or had, several rows. */
	is_shared: boolean;
	at: Time;
	/** Time of the snapshot before. */
	since: Time;
	connection_id: string;
	saved_query_id: string;
	snapshot_id: string;
	previous_snapshot_id: string;
	dn: string;
	class_name: string | null;
	tenant: string | null;
	change: ObjectChangeKind;
	/** Index in FINDING_SEVERITIES. */
	severity: number;
	/** Name, value before, value after. */
	attributes: Json<[string, string | null, string | null][]>;
	attributes_omitted: number;
	/** Null: nothing was looked up, or not yet. */
	changed_by: Json<ChangedBy[]> | null;
	changed_by_reason: AttributionReason | null;
	users: Generated<string[]>;
}

export interface ChangeCursorsTable {
	history_id: string;
	position: number;
	written: number;
}
