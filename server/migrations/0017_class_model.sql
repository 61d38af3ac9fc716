-- The class model: imports with their jobs, what they brought, the versions they became, and what users keep beside it.

create table model_import_runs (
	id uuid primary key,
	version_key text not null,
	label text not null,
	controller_version text not null,
	source text not null check (source in ('remote', 'folder', 'controller')),
	controller_connection_id uuid,
	state text not null check (state in ('pending', 'running', 'completed', 'cancelling', 'cancelled', 'failed')),
	phase text not null check (phase in ('init', 'downloading', 'importing', 'finalizing', 'done')),
	concurrency integer not null check (concurrency between 1 and 10),
	total_classes integer not null default 0,
	completed_count integer not null default 0,
	fallback_count integer not null default 0,
	not_found_count integer not null default 0,
	failed_count integer not null default 0,
	property_count integer not null default 0,
	error_summary text not null default '',
	cancel_requested boolean not null default false,
	started_by integer references users on delete set null,
	started_by_username text not null,
	created_at timestamptz not null,
	started_at timestamptz,
	finished_at timestamptz,
	core_ready_at timestamptz,
	-- When it was last taken up, and how many classes it had then: how fast it is.
	taken_up_at timestamptz,
	taken_up_count integer not null default 0,
	-- Who carries it out now: every write of the import names this token, so that one that lost it changes nothing any more.
	lease_token uuid,
	lease_expires_at timestamptz,
	-- Starts since anything was last stored.
	attempts integer not null default 0,
	enqueued_at timestamptz not null
);
-- Of two imports at the same time one wins.
create unique index model_import_runs_one on model_import_runs ((true)) where state in ('pending', 'running', 'cancelling');

create table model_import_jobs (
	id integer generated always as identity primary key,
	run_id uuid not null references model_import_runs on delete cascade,
	class_name text not null,
	state text not null default 'pending' check (state in ('pending', 'in-progress', 'done', 'not_found', 'failed')),
	source_version text,
	attempted_versions text[] not null default '{}',
	http_status_last integer,
	last_error text not null default '',
	retry_count integer not null default 0,
	updated_at timestamptz not null,
	unique (run_id, class_name)
);
create index model_import_jobs_failed on model_import_jobs (run_id, updated_at desc, id desc) where state = 'failed';

-- Records of classes as they arrived, packed with brotli.
create table model_records (
	run_id uuid not null references model_import_runs on delete cascade,
	seq integer generated always as identity,
	class_count integer not null,
	payload bytea not null,
	primary key (run_id, seq)
);
alter table model_records alter column payload set storage external;

-- The model that was built from them, as it lies in memory, in pieces packed with brotli.
create table model_images (
	run_id uuid not null references model_import_runs on delete cascade,
	seq integer not null,
	payload bytea not null,
	primary key (run_id, seq)
);
alter table model_images alter column payload set storage external;

create table model_versions (
	id uuid primary key,
	run_id uuid not null unique references model_import_runs on delete cascade,
	version_key text not null,
	label text not null,
	controller_version text not null,
	source text not null,
	class_count integer not null,
	property_count integer not null,
	rel_count integer not null,
	imported_at timestamptz not null,
	imported_by_username text not null,
	is_active boolean not null,
	-- False once its content was removed to make room.
	is_available boolean not null,
	image_format integer not null,
	image_bytes integer not null
);
create unique index model_versions_active on model_versions (is_active) where is_active;
create index model_versions_newest on model_versions (imported_at desc, id desc);

create table model_favorites (
	id uuid primary key,
	user_id integer not null references users on delete cascade,
	class_name text not null,
	created_at timestamptz not null,
	unique (user_id, class_name)
);

create table model_table_templates (
	id uuid primary key,
	owner_id integer not null references users on delete cascade,
	class_name text not null,
	name text not null,
	description text not null,
	columns json not null,
	filters json not null,
	sorting json not null,
	is_shared boolean not null,
	is_default boolean not null,
	created_at timestamptz not null,
	updated_at timestamptz not null
);
create index model_table_templates_class on model_table_templates (class_name);
create index model_table_templates_owner on model_table_templates (owner_id);
-- One default per class for each owner, and one among those that are for everybody.
create unique index model_table_templates_own_default on model_table_templates (owner_id, class_name) where is_default and not is_shared;
create unique index model_table_templates_shared_default on model_table_templates (class_name) where is_default and is_shared;

create table model_table_preferences (
	id uuid primary key,
	user_id integer not null references users on delete cascade,
	class_name text not null,
	visible_columns json not null,
	column_order json not null,
	options json not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	unique (user_id, class_name)
);
