-- Calendars of other systems that are read again and again, and feeds that calendar programs read.
create table calendar_sources (
	id uuid primary key,
	-- The whole address: it may hold a secret.
	url_sealed text not null,
	url_host text not null,
	kind text not null check (kind in ('freeze', 'maintenance')),
	connection_ids uuid[] not null,
	connection_group_ids uuid[] not null,
	-- Of events without a zone.
	time_zone text not null,
	created_by_id integer not null references users on delete cascade,
	next_read_at timestamptz not null,
	-- The last time at which it was read in full; null: none yet.
	read_at timestamptz,
	-- Why it could not be read; empty: it could.
	error text not null default '',
	created_at timestamptz not null
);
create index calendar_sources_creator on calendar_sources (created_by_id);
create index calendar_sources_due on calendar_sources (next_read_at);

alter table calendar_entries
	-- Null for entries of people and of files.
	add column source_id uuid references calendar_sources on delete cascade,
	-- Tells the events of a calendar apart; null for entries of people.
	add column uid text;
create index calendar_entries_source on calendar_entries (source_id) where source_id is not null;

-- One feed per user.
create table calendar_feeds (
	user_id integer primary key references users on delete cascade,
	secret_hash text not null unique,
	created_at timestamptz not null
);
