-- The rows of a job by result: {"changed": 10, "failed": 2}; null before its end, and without a job.
alter table automation_executions add column row_counts jsonb;
-- Those of the newest job that ended.
alter table automation_requests add column row_counts jsonb;

-- Name of the job or workflow on the automation server at the last save; null where it is not known.
alter table automation_templates add column server_template_name text;

-- The job of a launch and of its end, and the request that was copied or that rolls this one back. The service checks the action: a
-- new constraint could forbid what the previous version writes.
alter table automation_request_events
	add column execution_id uuid references automation_executions on delete set null,
	add column related_id uuid references automation_requests on delete set null,
	drop constraint automation_request_events_action_check;
create index automation_request_events_execution on automation_request_events (execution_id)
	where execution_id is not null;
create index automation_request_events_related on automation_request_events (related_id) where related_id is not null;
