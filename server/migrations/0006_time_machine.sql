-- The Time Machine: snapshots of results in histories, and each user's settings.

-- What snapshots follow one another: those of a saved query, or of one user's ad-hoc query by name and class; of one connection.
-- Captures lock the row, so that each of them sees the one before.
create table snapshot_histories (
	id uuid primary key,
	-- SHA-256 of what tells histories apart.
	key text not null unique,
	saved_query_id uuid references saved_queries on delete cascade,
	-- Of ad-hoc histories only.
	owner_id integer references users on delete cascade
);
create index snapshot_histories_query on snapshot_histories (saved_query_id) where saved_query_id is not null;
create index snapshot_histories_owner on snapshot_histories (owner_id) where owner_id is not null;

-- What lists show; nothing large is here.
create table snapshots (
	id uuid primary key,
	history_id uuid not null references snapshot_histories on delete cascade,
	-- Grows with each snapshot of the history; has gaps once some are deleted.
	position integer not null,
	-- The history's.
	saved_query_id uuid,
	query_name text not null,
	class_name text not null,
	query_version text not null,
	query_version_hash text not null,
	query_structure json,
	controller_connection_id uuid,
	controller_connection_name text not null,
	execution_type text not null,
	execution_time_ms double precision,
	executed_at timestamptz not null,
	executed_by_id integer references users on delete set null,
	-- Kept when the user is deleted.
	executed_by text not null,
	result_count integer not null,
	-- Rows that no comparison can match, for they have no dn.
	loose_count integer not null,
	result_size_bytes integer not null,
	result_hash text not null,
	is_duplicate boolean not null,
	has_changes boolean not null,
	annotation text,
	label text,
	constraint snapshots_position unique (history_id, position)
);
-- Lists by day and counts of days are answered from this index.
create index snapshots_query on snapshots (saved_query_id, executed_at desc, id desc) include (has_changes)
	where saved_query_id is not null;
create index snapshots_user on snapshots (executed_by_id, executed_at);
create index snapshots_time on snapshots (executed_at);

-- Finds, lists and compares a snapshot's objects. Compressed already.
create table snapshot_indexes (
	snapshot_id uuid primary key references snapshots on delete cascade,
	payload bytea not null
);
alter table snapshot_indexes alter column payload set storage external;

-- The captured text in compressed pieces: put one after another they are the text.
create table snapshot_chunks (
	snapshot_id uuid not null references snapshots on delete cascade,
	seq integer not null,
	payload bytea not null,
	primary key (snapshot_id, seq)
);
alter table snapshot_chunks alter column payload set storage external;

create table snapshot_settings (
	user_id integer primary key references users on delete cascade,
	retention_policy text not null default 'days',
	retention_days integer not null default 90,
	retention_count integer not null default 100,
	max_snapshot_size_mb double precision not null default 10,
	warn_large_snapshots boolean not null default true,
	auto_cleanup_enabled boolean not null default true,
	store_duplicates boolean not null default false
);
