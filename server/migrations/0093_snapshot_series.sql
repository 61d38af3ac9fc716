-- Numbers of snapshots over time: how they are computed, one row for each history and definition.
create table snapshot_series_definitions (
	id uuid primary key,
	history_id uuid not null references snapshot_histories on delete cascade,
	-- SHA-256 of value, field and group_by.
	digest text not null,
	value text not null,
	field text,
	group_by text,
	-- The definitions of a history are bounded: the one that was used least recently is deleted first.
	last_used_at timestamptz not null,
	-- A queue task computes missing numbers until then; it extends the time while it works.
	computing_until timestamptz,
	constraint snapshot_series_definitions_digest unique (history_id, digest)
);

-- The numbers of one snapshot. They are deleted with the snapshot.
create table snapshot_series (
	definition_id uuid not null references snapshot_series_definitions on delete cascade,
	snapshot_id uuid not null references snapshots on delete cascade,
	-- [[key, number as text], …]; null where the numbers cannot be computed.
	numbers json,
	-- Values that are no numbers.
	left_out integer not null,
	-- Null, groups (too many of them) or content (the snapshot has none).
	failure text,
	primary key (definition_id, snapshot_id)
);
create index snapshot_series_snapshot on snapshot_series (snapshot_id);
