-- The content of snapshots as a store of what changed, in place of whole documents. Captures made before this are not kept.

drop table snapshot_chunks;
drop table snapshot_indexes;
delete from snapshot_histories;

-- Grows with each change of what a history holds: whoever has computed something from it sees whether that still fits.
alter table snapshot_histories add column revision integer not null default 0;

-- Snapshots that share rows: a stretch of a history. Its numbers only grow.
create table snapshot_segments (
	id uuid primary key,
	history_id uuid not null references snapshot_histories on delete cascade,
	serial integer not null,
	next_version integer not null,
	next_entry integer not null,
	next_pack integer not null,
	constraint snapshot_segments_serial unique (history_id, serial)
);

-- Rows that were captured for the first time together, each a version of the segment. Never updated.
create table snapshot_packs (
	segment_id uuid not null references snapshot_segments on delete cascade,
	seq integer not null,
	first_version integer not null,
	last_version integer not null,
	versions bytea not null,
	hashes bytea not null,
	rows bytea not null,
	-- The rows' text, compressed.
	payload bytea not null,
	primary key (segment_id, seq)
);
alter table snapshot_packs alter column versions set storage external;
alter table snapshot_packs alter column hashes set storage external;
alter table snapshot_packs alter column rows set storage external;
alter table snapshot_packs alter column payload set storage external;

-- Dns and classes of a segment's objects, as captures brought them.
create table snapshot_names (
	segment_id uuid not null references snapshot_segments on delete cascade,
	first_entry integer not null,
	payload bytea not null,
	primary key (segment_id, first_entry)
);
alter table snapshot_names alter column payload set storage external;

-- The rows of each snapshot, as a list or as a change of the list before; without a payload it is the same as before.
create table snapshot_manifests (
	snapshot_id uuid primary key references snapshots on delete cascade,
	segment_id uuid not null references snapshot_segments on delete cascade,
	position integer not null,
	whole boolean not null,
	payload bytea,
	constraint snapshot_manifests_position unique (segment_id, position)
);
alter table snapshot_manifests alter column payload set storage external;

-- Expired snapshots are looked for by who captured them.
create index snapshots_history on snapshots (history_id, executed_at);

-- When a daily job last began: of all nodes the one that moves it on enqueues the job.
create table snapshot_timers (
	name text primary key,
	due_at timestamptz not null
);
