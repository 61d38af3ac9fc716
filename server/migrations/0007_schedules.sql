-- Scheduled tasks, their runs, one execution per connection and attempt, the settings of all tasks, and notifications.

create table scheduled_tasks (
	id uuid primary key,
	owner_id integer not null references users on delete cascade,
	name text not null,
	description text not null default '',
	-- A task outlives its query and connections, and fails then; the names are the last that were known.
	saved_query_id uuid not null,
	query_name text not null,
	connection_ids uuid[] not null,
	connection_names text[] not null,
	variable_values json not null default '{}',
	frequency text not null check (frequency in ('once', 'hourly', 'daily', 'weekly', 'monthly')),
	minute_of_hour integer check (minute_of_hour between 0 and 59),
	time_of_day text,
	day_of_week integer check (day_of_week between 0 and 6),
	day_of_month integer check (day_of_month between 1 and 31),
	scheduled_datetime timestamptz,
	timezone text not null,
	status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
	email_on_success boolean not null,
	email_on_failure boolean not null,
	email_recipients text[] not null,
	retry_enabled boolean not null,
	retry_count integer not null,
	retry_interval_minutes integer not null,
	log_retention_days integer not null,
	last_run_at timestamptz,
	last_run_status text,
	next_run_at timestamptz,
	execution_count integer not null default 0,
	success_count integer not null default 0,
	failure_count integer not null default 0,
	created_at timestamptz not null,
	updated_at timestamptz not null
);
create index scheduled_tasks_due on scheduled_tasks (next_run_at) where status = 'active';
create index scheduled_tasks_owner on scheduled_tasks (owner_id, created_at desc, id desc);
create index scheduled_tasks_query on scheduled_tasks (saved_query_id);
create index scheduled_tasks_created on scheduled_tasks (created_at desc, id desc);

create table scheduled_runs (
	id uuid primary key,
	task_id uuid not null references scheduled_tasks on delete cascade,
	-- The instant of the schedule; null for a run that somebody asked for. No instant runs twice.
	due_at timestamptz,
	state text not null check (state in ('running', 'waiting', 'finished')),
	-- 0 for the first attempt, then the number of the retry.
	attempt integer not null default 0,
	retry_at timestamptz,
	outcome text,
	created_at timestamptz not null,
	finished_at timestamptz,
	constraint scheduled_runs_instant unique (task_id, due_at)
);
create index scheduled_runs_retry on scheduled_runs (retry_at) where state = 'waiting';
create index scheduled_runs_waiting on scheduled_runs (task_id) where state = 'waiting';
create index scheduled_runs_finished on scheduled_runs (created_at) where state = 'finished';

create table scheduled_executions (
	id uuid primary key,
	run_id uuid not null references scheduled_runs on delete cascade,
	task_id uuid not null references scheduled_tasks on delete cascade,
	connection_id uuid not null,
	connection_name text not null,
	retry_attempt integer not null,
	status text not null default 'pending' check (status in ('pending', 'running', 'success', 'failed', 'cancelled')),
	result_count integer,
	error_type text,
	error_message text,
	pipeline_job_id uuid,
	snapshot_id uuid,
	created_at timestamptz not null,
	started_at timestamptz,
	completed_at timestamptz,
	-- When it was last seen to be on its way; one that is open for long is looked after.
	watched_at timestamptz not null,
	constraint scheduled_executions_attempt unique (run_id, connection_id, retry_attempt)
);
create index scheduled_executions_task on scheduled_executions (task_id, created_at desc, id desc);
create index scheduled_executions_connection on scheduled_executions (connection_id, created_at desc, id desc);
create index scheduled_executions_created on scheduled_executions (created_at desc, id desc);
create index scheduled_executions_job on scheduled_executions (pipeline_job_id) where pipeline_job_id is not null;
create index scheduled_executions_open on scheduled_executions (watched_at) where status in ('pending', 'running');

create table task_settings (
	id integer primary key default 1 check (id = 1),
	default_retry_count integer not null default 3,
	default_retry_interval_minutes integer not null default 5,
	default_log_retention_days integer not null default 30,
	email_enabled boolean not null default true,
	email_from_address text not null default ''
);
insert into task_settings default values;

create table notifications (
	id uuid primary key,
	user_id integer not null references users on delete cascade,
	category text not null check (category in ('scheduled_task', 'automation_execution', 'time_machine', 'system')),
	severity text not null check (severity in ('info', 'warning', 'error')),
	title text not null,
	body text not null,
	link text not null default '',
	-- What it is about: whoever is told of the same thing twice is notified once.
	key text not null,
	read_at timestamptz,
	created_at timestamptz not null,
	deleted_at timestamptz,
	constraint notifications_key unique (user_id, key)
);
create index notifications_listed on notifications (user_id, created_at desc, id desc) where deleted_at is null;
create index notifications_unread on notifications (user_id, created_at desc, id desc) where deleted_at is null and read_at is null;
create index notifications_deleted on notifications (deleted_at) where deleted_at is not null;
