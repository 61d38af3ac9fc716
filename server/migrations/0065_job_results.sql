-- Loops of a job that are not over, by host and task: their first event, the number of their items, and the columns of
-- the rows that they may go over. `loops` stays for the previous version.
alter table automation_streams add column open_loops json not null default '{}';

-- Results of items that name a row only if their whole loop goes over one column: they count when the loop ends.
create table automation_column_results (
	execution_id uuid not null references automation_executions on delete cascade,
	job_id integer not null,
	-- Counter of the first event of the loop.
	loop_first integer not null,
	row_index integer not null,
	host text not null,
	rank smallint not null,
	message text not null,
	primary key (execution_id, job_id, loop_first, row_index)
);

-- Hosts that took part in the job; null before its end, for workflows, and where the server does not say.
alter table automation_executions add column host_count integer;
