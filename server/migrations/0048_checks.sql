-- Checks: what the rows of a saved query must be, and how they stand on each connection.

-- The latest run of each query on each connection that completed or failed and whose end is recorded.
create table latest_query_runs (
	saved_query_id uuid not null references saved_queries on delete cascade,
	connection_id uuid not null references controller_connections on delete cascade,
	run_id uuid not null,
	ended_at timestamptz not null,
	-- Null: it completed.
	error text,
	primary key (saved_query_id, connection_id)
);

insert into latest_query_runs (saved_query_id, connection_id, run_id, ended_at, error)
	select distinct on (q.id, c.id) q.id, c.id, j.id, j.completed_at,
		case when j.status = 'failed' then 'The run failed.' end
	from query_runs r
		join pipeline_jobs j on j.id = r.job_id
		join saved_queries q on q.id = j.saved_query_id
		join controller_connections c on c.id = j.controller_connection_id
	where r.finished_at is not null and j.completed_at is not null and j.status in ('completed', 'failed')
	order by q.id, c.id, j.completed_at desc;

create table checks (
	id uuid primary key,
	owner_id integer not null references users on delete cascade,
	name text not null,
	description text not null,
	saved_query_id uuid not null references saved_queries on delete cascade,
	-- Empty: every connection that the query runs on.
	connection_ids uuid[] not null,
	type text not null,
	config jsonb not null,
	severity text not null check (severity in ('info', 'warning', 'critical')),
	for_runs integer not null,
	is_active boolean not null,
	is_public boolean not null,
	-- Grows with each change after which an earlier evaluation means nothing.
	revision integer not null default 1,
	-- What entries of further connections begin with.
	muted_until timestamptz,
	muted_by_id integer references users on delete set null,
	created_at timestamptz not null,
	updated_at timestamptz not null
);
create index checks_query on checks (saved_query_id);
create index checks_owner on checks (owner_id);
create index checks_name on checks (name, id);

create table check_states (
	check_id uuid not null references checks on delete cascade,
	-- Null: of all connections together.
	connection_id uuid references controller_connections on delete cascade,
	state text not null check (state in ('ok', 'unknown', 'pending', 'error', 'failing')),
	since timestamptz not null,
	last_evaluated_at timestamptz,
	last_run_id uuid,
	-- When that run ended; earlier ones change nothing.
	run_ended_at timestamptz,
	-- Of an evaluation over several runs: which they were.
	inputs text,
	violations integer not null default 0,
	violated_runs integer not null default 0,
	error text,
	-- The problem that the owner was notified of and that is not over.
	told text check (told in ('failing', 'error')),
	acknowledged_by_id integer references users on delete set null,
	muted_until timestamptz,
	muted_by_id integer references users on delete set null,
	-- Violating rows, bounded. `json` keeps every text as it came.
	sample json not null default '[]',
	constraint check_states_entry unique nulls not distinct (check_id, connection_id)
);
create index check_states_connection on check_states (connection_id);
create index check_states_state on check_states (state, check_id);

create table check_events (
	id uuid primary key,
	check_id uuid not null references checks on delete cascade,
	connection_id uuid,
	connection_name text,
	from_state text not null,
	to_state text not null,
	at timestamptz not null,
	run_id uuid,
	violations integer not null,
	acknowledged_by_id integer references users on delete set null,
	acknowledged_at timestamptz,
	comment text not null default '',
	muted_by_id integer references users on delete set null,
	muted_until timestamptz
);
create index check_events_check on check_events (check_id, at desc, id desc);

-- The groups that have a right to saved queries get the same right to checks.
insert into permissions (codename, name, app, model, is_dangerous)
	select verb || '_check', 'Can ' || verb || ' check', 'queries', 'check', false
	from (values ('view'), ('add'), ('change'), ('delete')) as verbs(verb);
insert into group_permissions
	select held.group_id, new.id
	from group_permissions held
		join permissions old on old.id = held.permission_id
		join permissions new on new.codename = replace(old.codename, '_savedquery', '_check')
	where old.codename in ('view_savedquery', 'add_savedquery', 'change_savedquery', 'delete_savedquery');
