-- Runs of saved queries whose end is to be recorded: who started them, and what they ran as it was then.

create table background_runs (
	job_id uuid primary key references pipeline_jobs on delete cascade,
	user_id integer not null references users on delete cascade,
	username text not null,
	-- The query may be changed or deleted before the run ends.
	query_id uuid not null,
	query_name text not null,
	query_version text not null,
	query_version_hash text not null,
	enable_time_machine boolean not null,
	-- For the audit log.
	ip_address text not null,
	user_agent text not null,
	request_id text not null,
	-- Captures that went wrong for no fault of the run's.
	failures integer not null default 0,
	-- Set in the transaction that records the end, which therefore happens once.
	finished_at timestamptz,
	snapshot_id uuid
);
create index background_runs_user on background_runs (user_id);
