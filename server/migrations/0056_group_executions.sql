-- One query on many connections. Each member has a run of its own in pipeline_jobs; these tables hold what belongs
-- together, and the status of the whole.

-- The run failed because the controller's release does not have a class of the query.
alter table pipeline_jobs add column class_unknown boolean not null default false;

create table group_executions (
	id uuid primary key,
	owner_id integer not null references users on delete cascade,
	status text not null default 'running' check (status in ('running', 'completed', 'partial', 'failed', 'cancelled')),
	-- Set by a cancellation of the whole, so that its end is not read as a failure.
	is_cancelled boolean not null default false,
	saved_query_id uuid,
	query_name text,
	query_version text,
	connection_group_id uuid references connection_groups on delete set null,
	hidden_count integer not null,
	total_rows integer,
	created_at timestamptz not null,
	completed_at timestamptz
);
create index group_executions_owner on group_executions (owner_id, created_at desc, id desc);
create index group_executions_group on group_executions (connection_group_id) where connection_group_id is not null;

create table group_execution_runs (
	group_execution_id uuid not null references group_executions on delete cascade,
	connection_id uuid not null,
	connection_name text not null,
	-- Orders the members, from 0 on.
	position integer not null,
	-- The latest run; a retry replaces it.
	job_id uuid not null references pipeline_jobs on delete cascade,
	primary key (group_execution_id, connection_id),
	constraint group_execution_runs_job unique (job_id)
);
