-- The feed of changes: one row for each object that differs between two snapshots of a saved query's history, after
-- the query's drift rules. Rows that show the same change to several queries have the same group.

create table object_changes (
	id bigint generated always as identity primary key,
	group_id uuid not null,
	-- Whether no row of the group is earlier. False: rows of the group decide, as the earliest one may be deleted.
	is_lead boolean not null,
	is_shared boolean not null,
	at timestamptz not null,
	-- Time of the snapshot before.
	since timestamptz not null,
	connection_id uuid not null references controller_connections on delete cascade,
	saved_query_id uuid not null references saved_queries on delete cascade,
	-- Not references: snapshots have a retention of their own.
	snapshot_id uuid not null,
	previous_snapshot_id uuid not null,
	dn text not null,
	class_name text,
	tenant text,
	change text not null check (change in ('added', 'deleted', 'modified')),
	-- 0 info, 1 warning, 2 critical.
	severity smallint not null,
	-- [[name, before, after], …]
	attributes jsonb not null,
	attributes_omitted integer not null,
	changed_by jsonb,
	changed_by_reason text,
	users text[] not null default '{}'
);
create index object_changes_time on object_changes (at desc, id desc);
create index object_changes_connection on object_changes (connection_id, at desc, id desc);
create index object_changes_query on object_changes (saved_query_id, at desc, id desc);
create index object_changes_class on object_changes (class_name, at desc, id desc);
create index object_changes_tenant on object_changes (tenant, at desc, id desc) where tenant is not null;
create index object_changes_users on object_changes using gin (users) where users <> '{}';
create index object_changes_object on object_changes (connection_id, hashtextextended(dn, 0));
create index object_changes_group on object_changes (group_id) where is_shared;
create index object_changes_snapshot on object_changes (snapshot_id);

-- How far each history has been read into the feed: the last snapshot that is complete, and the changes of the next
-- one that are written.
create table change_cursors (
	history_id uuid primary key references snapshot_histories on delete cascade,
	position integer not null,
	written integer not null
);
