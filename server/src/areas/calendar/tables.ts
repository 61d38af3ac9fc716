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
	/** With `connection_group_ids` empty, too: all connections. Ids of deleted ones stay. */
	connection_ids: string[];
	connection_group_ids: string[];
	starts_at: Time;
	/** Of the first occurrence. */
	ends_at: Time;
	/** Null: once. */
	rrule: string | null;
	exdates: Date[];
	/** IANA name. */
	time_zone: string;
	is_active: boolean;
	source: CalendarSource;
	/** Null: the account was deleted. */
	created_by_id: number | null;
	/** Null for entries of people and of files. */
	source_id: ColumnType<string | null, string | null | undefined, string | null>;
	/** Tells the events of a calendar apart; null for entries of people. */
	uid: ColumnType<string | null, string | null | undefined, string | null>;
	created_at: Time;
	updated_at: Time;
}

/** An alert of a schedule that a maintenance holds, the newest of its subject. */
export interface CalendarHeldNoticesTable {
	id: string;
	entry_id: string;
	entry_title: string;
	user_id: number;
	subject: string;
	severity: Severity;
	title: string;
	/** Mailed besides the user. */
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
