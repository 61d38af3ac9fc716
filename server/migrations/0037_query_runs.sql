-- Runs of saved queries whose end is recorded: who started them and for what. What ran is in pipeline_jobs.

create table query_runs (
	job_id uuid primary key references pipeline_jobs on delete cascade,
	-- Names the part of the service that started the run; origin_id is that part's own key.
	origin text not null,
	origin_id text,
	username text not null,
	keeps_snapshot boolean not null,
	-- For the audit log; empty where no request started the run.
	ip_address text not null default '',
	user_agent text not null default '',
	request_id text not null default '',
	-- Captures that failed through no fault of the run.
	failures integer not null default 0,
	-- Set in the transaction that records the end, which therefore happens once.
	finished_at timestamptz
);
create index query_runs_open on query_runs (job_id) where finished_at is null;

-- Nodes of the version before go on writing their own tables. These triggers keep both in step until all nodes are upgraded.

create function query_runs_adopt(job uuid, origin text, origin_id text, keeps_snapshot boolean) returns void language sql as $$
	insert into query_runs (job_id, origin, origin_id, username, keeps_snapshot)
		select j.id, origin, origin_id, u.username, coalesce(keeps_snapshot, false)
		from pipeline_jobs j join users u on u.id = j.owner_id where j.id = job
		on conflict do nothing
$$;

create function query_runs_of_background() returns trigger language plpgsql as $$
begin
	if tg_op = 'INSERT' then
		insert into query_runs (job_id, origin, username, keeps_snapshot, ip_address, user_agent, request_id)
			values (new.job_id, 'background', new.username, new.enable_time_machine, new.ip_address, new.user_agent, new.request_id)
			on conflict do nothing;
		update pipeline_jobs set query_version_hash = new.query_version_hash
			where id = new.job_id and query_version_hash is null;
	else
		update query_runs set finished_at = new.finished_at where job_id = new.job_id and finished_at is null;
	end if;
	return null;
end $$;
create trigger query_runs_of_background_start after insert on background_runs
	for each row execute function query_runs_of_background();
create trigger query_runs_of_background_end after update of finished_at on background_runs
	for each row when (new.finished_at is not null) execute function query_runs_of_background();

create function background_runs_end() returns trigger language plpgsql as $$
begin
	update background_runs set finished_at = new.finished_at where job_id = new.job_id and finished_at is null;
	return null;
end $$;
create trigger background_runs_end after update of finished_at on query_runs
	for each row when (new.finished_at is not null) execute function background_runs_end();

create function query_runs_of_schedule() returns trigger language plpgsql as $$
begin
	perform query_runs_adopt(new.pipeline_job_id, 'schedule', new.id::text,
		(select q.enable_time_machine from saved_queries q join scheduled_tasks t on t.saved_query_id = q.id where t.id = new.task_id));
	return null;
end $$;
create trigger query_runs_of_schedule after update of pipeline_job_id on scheduled_executions
	for each row when (new.pipeline_job_id is not null) execute function query_runs_of_schedule();

create function query_runs_of_automation() returns trigger language plpgsql as $$
begin
	perform query_runs_adopt(new.run_id, 'automation', new.execution_id::text, true);
	return null;
end $$;
create trigger query_runs_of_automation after update of run_id on automation_watches
	for each row when (new.run_id is not null) execute function query_runs_of_automation();

insert into query_runs (job_id, origin, username, keeps_snapshot, ip_address, user_agent, request_id)
	select job_id, 'background', username, enable_time_machine, ip_address, user_agent, request_id
	from background_runs where finished_at is null;
update pipeline_jobs j set query_version_hash = b.query_version_hash
	from background_runs b where b.job_id = j.id and b.finished_at is null and j.query_version_hash is null;
select query_runs_adopt(e.pipeline_job_id, 'schedule', e.id::text, q.enable_time_machine)
	from scheduled_executions e join scheduled_tasks t on t.id = e.task_id left join saved_queries q on q.id = t.saved_query_id
	where e.status = 'running' and e.pipeline_job_id is not null;
select query_runs_adopt(run_id, 'automation', execution_id::text, true)
	from automation_watches where status = 'waiting' and run_id is not null;
