/** Calendar entries and occurrences as the wire shows them. */
import type { CalendarEntry, CalendarOccurrence, CalendarSourceRecord } from "@weft/contracts";
import type { Identity } from "../../core/caller.ts";
import { canDelete, canEdit } from "./policy.ts";
import { findNextOccurrence, findOccurrenceAt, type Occurrence } from "./rules/occurrences.ts";
import type { EntryRow, ShownEntry } from "./sql/entries.ts";
import type { SourceRow } from "./sql/imports.ts";

const presentTimes = ({ start, end }: Occurrence) => ({
	starts_at: new Date(start).toISOString(),
	ends_at: new Date(end).toISOString(),
});

/** The fields of an entry that requests, answers and files have alike: all but kind and fabrics. */
export const presentSettings = (row: EntryRow) => ({
	title: row.title,
	reason: row.reason,
	ticket: row.ticket_number === null ? null : { number: row.ticket_number, url: row.ticket_url },
	starts_at: row.starts_at.toISOString(),
	ends_at: row.ends_at.toISOString(),
	rrule: row.rrule,
	exdates: row.exdates.map((date) => date.toISOString()),
	time_zone: row.time_zone,
	is_active: row.is_active,
});

export function presentEntry(row: ShownEntry, identity: Identity, now: number): CalendarEntry {
	const current = row.is_active ? findOccurrenceAt(row, now) : null;
	const next = row.is_active ? findNextOccurrence(row, now) : null;
	return {
		id: row.id,
		kind: row.kind,
		...presentSettings(row),
		controller_connection_ids: row.seen_connection_ids,
		connection_group_ids: row.seen_group_ids,
		is_for_all: row.connection_ids.length === 0 && row.connection_group_ids.length === 0,
		hidden_count: row.hidden_count,
		source: row.source,
		current: current && presentTimes(current),
		next: next && presentTimes(next),
		created_by: row.owner,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
		can_edit: canEdit(identity, row),
		can_delete: canDelete(identity, row),
	};
}

export const presentOccurrence = (
	{ id, title, kind }: Pick<EntryRow, "id" | "title" | "kind">,
	occurrence: Occurrence,
): CalendarOccurrence => ({ entry_id: id, title, kind, ...presentTimes(occurrence) });

export const presentSource = (row: SourceRow): CalendarSourceRecord => ({
	id: row.id,
	url_host: row.url_host,
	kind: row.kind,
	time_zone: row.time_zone,
	next_read_at: row.next_read_at.toISOString(),
	read_at: row.read_at?.toISOString() ?? null,
	error: row.error,
	created_at: row.created_at.toISOString(),
});
