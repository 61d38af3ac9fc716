-- Schedules of every few minutes, and the due instants at which the run before still ran. The service checks the frequency's value:
-- a new constraint could forbid what the previous version writes.

alter table scheduled_tasks
	drop constraint scheduled_tasks_frequency_check,
	add column interval_minutes integer check (interval_minutes in (5, 10, 15, 20, 30)),
	add column skipped_count integer not null default 0;
create index scheduled_runs_running on scheduled_runs (task_id) where state = 'running';
