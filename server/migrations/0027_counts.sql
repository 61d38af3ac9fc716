-- How many executions the two long lists have, kept with each change, so that nobody counts millions of rows to show fifty. Whoever writes
-- adds to one of 16 rows by his own connection: of two at the same time hardly ever one waits for the other.

create table execution_log_counts (
	query_id uuid,
	user_id integer,
	success boolean not null,
	shard smallint not null,
	entries bigint not null,
	constraint execution_log_counts_key unique nulls not distinct (query_id, user_id, success, shard)
) with (fillfactor = 70);
create index execution_log_counts_user on execution_log_counts (user_id);

-- Only executions that have ended; there are never many others.
create table scheduled_execution_counts (
	task_id uuid not null,
	connection_id uuid not null,
	status text not null,
	shard smallint not null,
	entries bigint not null,
	constraint scheduled_execution_counts_key primary key (task_id, connection_id, status, shard)
) with (fillfactor = 70);

create function execution_logs_count() returns trigger language plpgsql as $$
begin
	if tg_op = 'INSERT' then
		insert into execution_log_counts as c
			select query_id, user_id, success, pg_backend_pid() % 16, count(*) from added group by 1, 2, 3 order by 1, 2, 3
			on conflict on constraint execution_log_counts_key do update set entries = c.entries + excluded.entries;
	elsif tg_op = 'DELETE' then
		insert into execution_log_counts as c
			select query_id, user_id, success, pg_backend_pid() % 16, -count(*) from removed group by 1, 2, 3 order by 1, 2, 3
			on conflict on constraint execution_log_counts_key do update set entries = c.entries + excluded.entries;
	else
		insert into execution_log_counts as c
			select query_id, user_id, success, pg_backend_pid() % 16, sum(n) from (
				select query_id, user_id, success, 1 as n from added
				union all select query_id, user_id, success, -1 from removed
			) changed group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
			on conflict on constraint execution_log_counts_key do update set entries = c.entries + excluded.entries;
	end if;
	return null;
end $$;
create trigger execution_logs_count_insert after insert on execution_logs referencing new table as added
	for each statement execute function execution_logs_count();
create trigger execution_logs_count_update after update on execution_logs referencing new table as added old table as removed
	for each statement execute function execution_logs_count();
create trigger execution_logs_count_delete after delete on execution_logs referencing old table as removed
	for each statement execute function execution_logs_count();

create function scheduled_executions_count() returns trigger language plpgsql as $$
begin
	if tg_op = 'INSERT' then
		insert into scheduled_execution_counts as c
			select task_id, connection_id, status, pg_backend_pid() % 16, count(*) from added
			where status not in ('pending', 'running') group by 1, 2, 3 order by 1, 2, 3
			on conflict on constraint scheduled_execution_counts_key do update set entries = c.entries + excluded.entries;
	elsif tg_op = 'DELETE' then
		insert into scheduled_execution_counts as c
			select task_id, connection_id, status, pg_backend_pid() % 16, -count(*) from removed
			where status not in ('pending', 'running') group by 1, 2, 3 order by 1, 2, 3
			on conflict on constraint scheduled_execution_counts_key do update set entries = c.entries + excluded.entries;
	else
		insert into scheduled_execution_counts as c
			select task_id, connection_id, status, pg_backend_pid() % 16, sum(n) from (
				select task_id, connection_id, status, 1 as n from added
				union all select task_id, connection_id, status, -1 from removed
			) changed where status not in ('pending', 'running') group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
			on conflict on constraint scheduled_execution_counts_key do update set entries = c.entries + excluded.entries;
	end if;
	return null;
end $$;
create trigger scheduled_executions_count_insert after insert on scheduled_executions referencing new table as added
	for each statement execute function scheduled_executions_count();
create trigger scheduled_executions_count_update after update on scheduled_executions
	referencing new table as added old table as removed for each statement execute function scheduled_executions_count();
create trigger scheduled_executions_count_delete after delete on scheduled_executions referencing old table as removed
	for each statement execute function scheduled_executions_count();

insert into execution_log_counts select query_id, user_id, success, 0, count(*) from execution_logs group by 1, 2, 3;
insert into scheduled_execution_counts select task_id, connection_id, status, 0, count(*) from scheduled_executions
	where status not in ('pending', 'running') group by 1, 2, 3;

-- What is rare is found without a walk over all the others.
create index scheduled_executions_rare on scheduled_executions (status, created_at desc, id desc) where status in ('failed', 'cancelled');
