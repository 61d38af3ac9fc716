/** Objects as the search shows them. */
import type { FoundObject } from "@weft/contracts";
import type { FoundRow } from "./sql/find.ts";

export function presentFoundObject(row: FoundRow): FoundObject {
	return {
		connection: { id: row.connection_id, name: row.connection_name },
		dn: row.dn,
		class_name: row.class_name,
		label: row.label,
		matched: { attribute: row.attribute, value: row.value },
		saved_query: { id: row.saved_query_id, name: row.query_name },
		snapshot_id: row.snapshot_id,
		seen_at: row.seen_at.toISOString(),
		first_seen_at: row.first_seen_at.toISOString(),
		is_current: row.is_current,
	};
}
