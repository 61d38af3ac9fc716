-- Runs of canvases: jobs, their stages, their rows in chunks, and the frames that tell of their progress.

create table pipeline_jobs (
	id uuid primary key,
	owner_id integer not null references users on delete cascade,
	status text not null check (status in ('pending', 'running', 'completed', 'failed', 'cancelled')),
	-- A run outlives what it was made from: ids and names as they were then.
	controller_connection_id uuid not null,
	controller_connection_name text not null,
	saved_query_id uuid,
	query_name text,
	query_version text,
	-- The canvas with its variables filled in, and the query's post-processors. Emptied with the results.
	program json,
	result_stages integer[] not null,
	total_stages integer not null,
	completed_stages integer not null default 0,
	failed_stages integer not null default 0,
	current_stage_index integer not null default 0,
	progress integer not null default 0,
	errors json not null default '[]',
	total_rows integer,
	created_at timestamptz not null,
	started_at timestamptz,
	completed_at timestamptz,
	results_purged_at timestamptz,
	-- Who runs it now: every write of a run names this token, so that one that lost it changes nothing any more.
	lease_token uuid,
	lease_expires_at timestamptz,
	-- Starts since the last stage that was completed.
	attempts integer not null default 0,
	enqueued_at timestamptz not null,
	last_frame integer not null default 0
);
create index pipeline_jobs_owner on pipeline_jobs (owner_id, created_at desc, id desc);
create index pipeline_jobs_query on pipeline_jobs (saved_query_id, created_at desc) where saved_query_id is not null;
create index pipeline_jobs_open on pipeline_jobs (enqueued_at) where status in ('pending', 'running');
create index pipeline_jobs_kept on pipeline_jobs (completed_at) where results_purged_at is null and completed_at is not null;

create table pipeline_stages (
	job_id uuid not null references pipeline_jobs on delete cascade,
	index integer not null,
	node_ids text[] not null,
	class_name text not null,
	status text not null default 'pending'
		check (status in ('pending', 'running', 'completed', 'failed', 'skipped', 'cancelled')),
	inject_mode text,
	source_stages integer[] not null default '{}',
	value_count integer not null default 0,
	value_sample json not null default '[]',
	result_count integer not null default 0,
	result_sample json not null default '[]',
	request_count integer not null default 0,
	queries json not null default '[]',
	-- What later stages take from this one: values by the id of the edge.
	feeds json,
	started_at timestamptz,
	completed_at timestamptz,
	error text,
	primary key (job_id, index)
);

-- Rows as JSON objects with commas between them, packed with brotli by the writer: a fraction of the time that the
-- store's own compression takes, and off its processes.
create table pipeline_result_chunks (
	job_id uuid not null references pipeline_jobs on delete cascade,
	stage_index integer not null,
	first_row integer not null,
	row_count integer not null,
	payload bytea not null,
	primary key (job_id, stage_index, first_row)
);
alter table pipeline_result_chunks alter column payload set storage external;

create table pipeline_frames (
	job_id uuid not null references pipeline_jobs on delete cascade,
	seq integer not null,
	type text not null,
	data json not null,
	created_at timestamptz not null,
	primary key (job_id, seq)
);
