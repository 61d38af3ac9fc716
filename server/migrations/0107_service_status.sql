-- What administrators read about the service: its processes, its backups, and its first setup.

-- One row per process, written again every 30 seconds and deleted at its stop.
create table service_nodes (
	id uuid primary key,
	host text not null,
	process_id integer not null,
	version text not null,
	roles text[] not null,
	started_at timestamptz not null,
	seen_at timestamptz not null
);

-- Backups that the command made, after each was complete.
create table store_backups (
	id bigint generated always as identity primary key,
	file_name text not null,
	size_bytes bigint not null,
	row_count bigint not null,
	version text not null,
	created_at timestamptz not null
);
create index store_backups_created_at on store_backups (created_at desc);

-- Steps of the first setup that an administrator left out.
create table skipped_setup_steps (
	step text primary key,
	skipped_by_id integer references users on delete set null,
	skipped_at timestamptz not null
);
create index skipped_setup_steps_skipped_by on skipped_setup_steps (skipped_by_id);

-- Whether the link of an invitation goes out by mail, and when the mail server accepted it.
alter table user_invitations add column is_mailed boolean not null default false;
alter table user_invitations add column mailed_at timestamptz;
