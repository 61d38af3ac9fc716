-- The index of objects of all kept snapshots of saved queries, for finding objects and showing one.

do $$
begin
	create extension if not exists pg_trgm;
exception when others then
	raise exception 'The extension pg_trgm could not be created: %', sqlerrm
		using hint = 'Install PostgreSQL''s contrib package, then let an administrator run "create extension pg_trgm" in this database.';
end
$$;

-- How far the index of a history is. Without foreign keys: rows of a deleted history are deleted in batches.
create table object_indexes (
	history_id uuid primary key,
	saved_query_id uuid not null,
	-- Null until a snapshot of a connection is indexed.
	connection_id uuid,
	-- The history's revision that the index has; -1 before the first.
	revision integer not null default -1,
	-- The highest position that rows of the index may mention.
	position integer not null default 0,
	-- Snapshots of the history that the index had when it was complete.
	snapshot_count integer not null default 0,
	-- The work that writes the index until then.
	held_by uuid,
	held_until timestamptz
);

-- Snapshots that the index has completely.
create table indexed_snapshots (
	snapshot_id uuid primary key references snapshots on delete cascade,
	history_id uuid not null,
	position integer not null,
	executed_at timestamptz not null,
	constraint indexed_snapshots_position unique (history_id, position)
);

create table indexed_objects (
	id bigint generated always as identity primary key,
	history_id uuid not null,
	dn text not null,
	-- Digests of the DN, of its parent's, and of the object that a relation leads to.
	dn_key uuid not null,
	parent_key uuid,
	target_key uuid,
	target_dn text,
	class_name text not null,
	label text not null,
	-- Positions of the history's snapshots that have the object; without an end while the latest one has it.
	presence int4multirange not null,
	-- Digest of the row's terms, which are written again when it changes.
	terms_key uuid not null,
	constraint indexed_objects_dn unique (dn_key, history_id)
);
create index indexed_objects_history on indexed_objects (history_id, id);
create index indexed_objects_parent on indexed_objects (parent_key, history_id) where parent_key is not null;
create index indexed_objects_target on indexed_objects (target_key, history_id) where target_key is not null;
create index indexed_objects_dn_prefix on indexed_objects (left(lower(dn), 400) text_pattern_ops);
create index indexed_objects_dn_part on indexed_objects using gin (lower(dn) gin_trgm_ops);

create table object_terms (
	object_id bigint not null references indexed_objects on delete cascade,
	attribute text not null,
	-- As captured, at most 500 characters.
	value text not null,
	-- In lower case; MAC addresses and networks in their normal form.
	term text not null,
	net inet,
	vlans int4range
);
create index object_terms_object on object_terms (object_id);
create index object_terms_prefix on object_terms (term text_pattern_ops);
create index object_terms_part on object_terms using gin (term gin_trgm_ops);
create index object_terms_net on object_terms using gist (net inet_ops) where net is not null;
create index object_terms_vlans on object_terms using gist (vlans) where vlans is not null;
