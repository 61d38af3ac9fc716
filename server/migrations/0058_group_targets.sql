-- Scheduled tasks and saved queries that name a group of connections.

-- A task outlives its group, and fails then; the name is the last that was known.
alter table scheduled_tasks add column connection_group_id uuid;
alter table scheduled_tasks add column connection_group_name text not null default '';

-- Where clients run a query unless another target is chosen.
alter table saved_queries add column connection_group_id uuid references connection_groups on delete set null;
create index saved_queries_connection_group on saved_queries (connection_group_id) where connection_group_id is not null;
