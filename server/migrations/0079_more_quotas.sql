-- Quotas of sockets, webhooks, API tokens and objects of automation. Rows of group_quotas that exist get the
-- numbers that hold without a quota.
alter table group_quotas
	add column sockets_max integer not null default 20,
	add column webhooks_max integer not null default 20,
	add column tokens_max integer not null default 100,
	add column automation_connections_max integer not null default 50,
	add column automation_templates_max integer not null default 500,
	add column automation_references_max integer not null default 500;

-- The lease of each process that has open sockets: its sockets count until then, also when the process dies.
create table socket_processes (
	id uuid primary key,
	expires_at timestamptz not null
);

create table open_sockets (
	id uuid primary key,
	process_id uuid not null references socket_processes on delete cascade,
	user_id integer not null references users on delete cascade
);
create index open_sockets_user on open_sockets (user_id);
create index open_sockets_process on open_sockets (process_id);
