-- Searches for objects on controllers, with their answers. Kept for a short time, for the user who asked.
create table live_finds (
	id uuid primary key,
	user_id integer not null references users on delete cascade,
	kind text not null,
	normalized text not null,
	created_at timestamptz not null
);
create index live_finds_user on live_finds (user_id, created_at);
create index live_finds_created on live_finds (created_at);

create table live_find_runs (
	id uuid primary key,
	live_find_id uuid not null references live_finds on delete cascade,
	position integer not null,
	connection_id uuid not null,
	connection_name text not null,
	status text not null check (status in ('running', 'completed', 'failed')),
	-- Null unless the run failed.
	error text,
	-- Matching objects of the answer, and how many the controller has.
	objects jsonb not null default '[]',
	total integer not null default 0,
	is_total_exact boolean not null default true
);
create index live_find_runs_find on live_find_runs (live_find_id);
