/** The tables of this area. */
import type { Drift, SeriesValue, SnapshotOrigin } from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, Time } from "../../core/ports/schema.ts";
import type { StoredAttribution } from "./rules/attribution.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		snapshot_histories: SnapshotHistoriesTable;
		snapshots: SnapshotsTable;
		snapshot_attributions: SnapshotAttributionsTable;
		snapshot_segments: SnapshotSegmentsTable;
		snapshot_packs: SnapshotPacksTable;
		snapshot_names: SnapshotNamesTable;
		snapshot_manifests: SnapshotManifestsTable;
		snapshot_timers: SnapshotTimersTable;
		snapshot_settings: SnapshotSettingsTable;
		snapshot_series_definitions: SnapshotSeriesDefinitionsTable;
		snapshot_series: SnapshotSeriesTable;
	}
}

export interface SnapshotHistoriesTable {
	id: string;
	key: string;
	saved_query_id: string | null;
	owner_id: number | null;
	/** The saved query of a private history, whose saved_query_id is null. */
	private_of: string | null;
	revision: Generated<number>;
	/** When a later result equalled the latest snapshot; no snapshot is stored then. */
	confirmed_at: ColumnType<Date | null, undefined, Date>;
	/** Work that reserved the history until then; see reserve-history.ts. */
	reserved_by: ColumnType<string | null, undefined, string | null>;
	reserved_until: ColumnType<Date | null, undefined, Date | null>;
	/** Maintained by triggers; see 0028_snapshot_counts.sql. */
	snapshot_count: Generated<number>;
}

export interface SnapshotsTable {
	id: string;
	history_id: string;
	position: number;
	/** Null for an ad-hoc query and for a private result. */
	saved_query_id: string | null;
	/** The saved query of a result that only its user sees. */
	private_of: string | null;
	/** Of the variable values; null for those of the query. */
	values_digest: string | null;
	query_name: string;
	class_name: string;
	query_version: string;
	query_version_hash: string;
	query_structure: Json<unknown> | null;
	controller_connection_id: string | null;
	controller_connection_name: string;
	execution_type: "manual" | "scheduled";
	/** `run`: the service read the result from the controller. `client`: a request brought it. */
	origin: ColumnType<SnapshotOrigin, SnapshotOrigin | undefined, never>;
	execution_time_ms: number | null;
	executed_at: Time;
	executed_by_id: number | null;
	executed_by: string;
	result_count: number;
	loose_count: number;
	result_size_bytes: number;
	result_hash: string;
	is_duplicate: boolean;
	has_changes: boolean;
	drift: Json<Drift> | null;
	annotation: string | null;
	label: string | null;
}

export interface SnapshotAttributionsTable {
	snapshot_id: string;
	found: Json<StoredAttribution>;
}

export interface SnapshotSegmentsTable {
	id: string;
	history_id: string;
	serial: number;
	next_version: number;
	next_entry: number;
	next_pack: number;
}

export interface SnapshotPacksTable {
	segment_id: string;
	seq: number;
	first_version: number;
	last_version: number;
	rows: Buffer;
	objects: Buffer;
	hashes: Buffer;
	payload: Buffer;
}

export interface SnapshotNamesTable {
	segment_id: string;
	first_entry: number;
	payload: Buffer;
}

export interface SnapshotManifestsTable {
	snapshot_id: string;
	segment_id: string;
	position: number;
	whole: boolean;
	payload: Buffer | null;
	distinct_dns: boolean;
	loose_hash: Buffer;
}

export interface SnapshotTimersTable {
	name: string;
	due_at: Time;
}

export interface SnapshotSettingsTable {
	user_id: number;
	retention_policy: Generated<"days" | "count" | "unlimited">;
	retention_days: Generated<number>;
	retention_count: Generated<number>;
	max_snapshot_size_mb: Generated<number>;
	warn_large_snapshots: Generated<boolean>;
	auto_cleanup_enabled: Generated<boolean>;
	store_duplicates: Generated<boolean>;
}

export interface SnapshotSeriesDefinitionsTable {
	id: string;
	history_id: string;
	digest: string;
	value: SeriesValue;
	field: string | null;
	group_by: string | null;
	last_used_at: Time;
	computing_until: Time | null;
}

export interface SnapshotSeriesTable {
	definition_id: string;
	snapshot_id: string;
	/** Groups with their numbers; null with a failure. */
	numbers: Json<[string, string][]> | null;
	left_out: number;
	failure: "groups" | "content" | null;
}
