/** Entries of the feed as the interface shows them. */
import { type FeedEntry, FINDING_SEVERITIES, type FindingSeverity } from "@weft/contracts";
import { joinAttributes, joinRecords } from "./rules/entries.ts";
import type { FeedRow } from "./sql/feed.ts";

/**
 * An entry.
 * @param lead its earliest row
 * @param rows all of its rows
 */
export function presentChange(lead: FeedRow, rows: readonly FeedRow[]): FeedEntry {
	const records = joinRecords(rows.map(({ changed_by }) => changed_by));
	const queries = new Map(rows.map((row) => [row.saved_query_id, row.query_name]));
	return {
		id: lead.id,
		at: lead.at.toISOString(),
		connection: { id: lead.connection_id, name: lead.connection_name },
		dn: lead.dn,
		class_name: lead.class_name,
		change: lead.change,
		attributes: joinAttributes(rows.map(({ attributes }) => attributes)).map(([name, before, after]) => ({
			name,
			before,
			after,
		})),
		attributes_omitted: Math.max(...rows.map((row) => row.attributes_omitted)),
		changed_by: records,
		changed_by_reason:
			records.length > 0 ? null : (rows.find((row) => row.changed_by_reason)?.changed_by_reason ?? null),
		severity: FINDING_SEVERITIES[Math.max(...rows.map(({ severity }) => severity))] as FindingSeverity,
		saved_queries: [...queries]
			.map(([id, name]) => ({ id, name }))
			.sort((one, other) => (one.name < other.name ? -1 : 1)),
		snapshot_id: lead.snapshot_id,
		previous_snapshot_id: lead.previous_snapshot_id,
	};
}
