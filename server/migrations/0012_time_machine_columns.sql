-- Packs with their columns apart, so that nobody reads more of them than he needs; names in chunks; and of each snapshot what comparisons ask for
-- first. Captures made before this are not kept.

delete from snapshot_histories;
drop table snapshot_packs;

create table snapshot_packs (
	segment_id uuid not null references snapshot_segments on delete cascade,
	seq integer not null,
	first_version integer not null,
	last_version integer not null,
	-- The versions and how long each is; which objects each holds; their hashes.
	rows bytea not null,
	objects bytea not null,
	hashes bytea not null,
	-- The rows' text, compressed.
	payload bytea not null,
	primary key (segment_id, seq)
);
alter table snapshot_packs alter column rows set storage external;
alter table snapshot_packs alter column objects set storage external;
alter table snapshot_packs alter column hashes set storage external;
alter table snapshot_packs alter column payload set storage external;

-- Whether no dn occurs twice, and the hash of the rows without one.
alter table snapshot_manifests add column distinct_dns boolean not null;
alter table snapshot_manifests add column loose_hash bytea not null;
