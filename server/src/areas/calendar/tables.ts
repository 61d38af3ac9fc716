/** The tables of this area as the query builder sees them. */
import type { CalendarKind, CalendarSource, Severity } from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Time } from "../../core/ports/schema.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		calendar_entries: CalendarEntriesTable;
		calendar_held_notices: CalendarHeldNoticesTable;
		calendar_sources: CalendarSourcesTable;
		calendar_feeds: CalendarFeedsTable;
	}
}

export interface CalendarEntriesTable {
	id: string;
	kind: CalendarKind;
	title: string;
	reason: string;
	ticket_number: string | null;
	ticket_url: string | null;
	/** Includes deleted ones. The entry is for all connections if both lists of ids are empty. */
	connection_ids: string[];
	connection_group_ids: string[];
	starts_at: Time;
	/** End of the first occurrence. */
	ends_at: Time;
	/** Null if the entry occurs once. */
	rrule: string | null;
	exdates: Date[];
	/** IANA name. */
	time_zone: string;
	is_active: boolean;
	source: CalendarSource;
	/** Null once the account is deleted. */
	created_by_id: number | null;
	/** Null for entries that a person made and for entries from a file. */
	source_id: ColumnType<string | null, string | null | undefined, string | null>;
	/** Identifies the event in its calendar; null for entries that a person made. */
	uid: ColumnType<string | null, string | null | undefined, string | null>;
	created_at: Time;
	updated_at: Time;
}

/** The newest held alert of a schedule and subject. */
export interface CalendarHeldNoticesTable {
	id: string;
	/** Id of the calendar entry or of the change window that holds it. */
	entry_id: string;
	entry_title: string;
	user_id: number;
	subject: string;
	severity: Severity;
	title: string;
	/** Mail addresses that get the alert besides the user. */
	addresses: Generated<string[]>;
	created_at: Time;
}

/** A calendar of another system that is read every hour. */
export interface CalendarSourcesTable {
	id: string;
	url_sealed: string;
	url_host: string;
	kind: CalendarKind;
	connection_ids: string[];
	connection_group_ids: string[];
	time_zone: string;
	created_by_id: number;
	next_read_at: Time;
	read_at: Time | null;
	error: string;
	created_at: Time;
}

export interface CalendarFeedsTable {
	user_id: number;
	secret_hash: string;
	created_at: Time;
}
