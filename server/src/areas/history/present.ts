/** Snapshots as the wire shows them. */
import type { compareAnswer, Snapshot, snapshotQueriesAnswer } from "@weft/contracts";
import type * as z from "zod";
import type { KnownQuery } from "./policy.ts";
import type { ReportedSide } from "./rules/report-html.ts";
import type { SnapshotRow } from "./sql/snapshots.ts";

/** A snapshot without its rows. */
export function presentSnapshot(row: SnapshotRow): Snapshot {
	return {
		id: row.id,
		saved_query_id: row.saved_query_id ?? row.private_of,
		is_private: row.private_of !== null,
		query_name: row.query_name,
		class_name: row.class_name,
		result_count: row.result_count,
		result_size_bytes: row.result_size_bytes,
		executed_at: row.executed_at.toISOString(),
		executed_by: row.executed_by,
		controller_connection_id: row.controller_connection_id,
		controller_connection_name: row.controller_connection_name,
		execution_time_ms: row.execution_time_ms,
		result_hash: row.result_hash,
		is_duplicate: row.is_duplicate,
		query_version: row.query_version,
		query_version_hash: row.query_version_hash,
		execution_type: row.execution_type,
		origin: row.origin,
		has_changes: row.has_changes,
		drift: row.drift,
		annotation: row.annotation,
		label: row.label,
	};
}

/** The part of a snapshot's detail before result_data, as JSON text. */
export function presentDetailHead(row: SnapshotRow, queryStructure: unknown): string {
	const head = JSON.stringify({ ...presentSnapshot(row), query_structure: queryStructure });
	return `${head.slice(0, -1)},"result_data":`;
}

export function presentCompared(row: SnapshotRow): z.input<typeof compareAnswer>["snapshot_from"] {
	return {
		id: row.id,
		executed_at: row.executed_at.toISOString(),
		result_count: row.result_count,
		controller_connection_id: row.controller_connection_id,
		controller_connection_name: row.controller_connection_name,
		origin: row.origin,
	};
}

/** A side of a comparison as a report shows it. */
export function presentReportedSide(row: SnapshotRow): ReportedSide {
	return {
		id: row.id,
		executedAt: row.executed_at.toISOString(),
		executedBy: row.executed_by,
		queryName: row.query_name,
		queryVersion: row.query_version,
		connection: row.controller_connection_name,
		objects: row.result_count,
		label: row.label,
		annotation: row.annotation,
	};
}

export function presentQuery(
	query: Pick<KnownQuery, "id" | "name" | "version">,
	{ count, latest }: { count: number; latest: Date },
): z.input<typeof snapshotQueriesAnswer>["queries"][number] {
	return {
		type: "saved_query",
		id: query.id,
		name: query.name,
		snapshot_count: count,
		latest_execution: latest.toISOString(),
		version: query.version,
		enable_time_machine: true,
	};
}
