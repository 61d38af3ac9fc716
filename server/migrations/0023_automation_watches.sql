-- The controller's state around a job: which query to run, and the snapshots of what it gave before and after.
alter table automation_requests add column watch_query_id uuid;

create table automation_watches (
	execution_id uuid not null references automation_executions on delete cascade,
	phase text not null check (phase in ('before', 'after')),
	status text not null check (status in ('waiting', 'captured', 'failed')),
	query_id uuid not null,
	controller_id uuid not null,
	-- The run whose rows become the snapshot; null before it is started.
	run_id uuid unique,
	-- May be an earlier one, where nothing has changed since. Snapshots are cleaned up by rules of their own.
	snapshot_id uuid,
	-- Why there is none.
	problem text,
	tries integer not null default 0,
	primary key (execution_id, phase)
);
