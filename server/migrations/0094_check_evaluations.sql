-- The violations of each evaluation of a check, for 90 days.
create table check_evaluations (
	check_id uuid not null references checks on delete cascade,
	-- Null: all connections together.
	connection_id uuid references controller_connections on delete cascade,
	at timestamptz not null,
	-- Null: the evaluation failed.
	violations integer
);
create index check_evaluations_entry on check_evaluations (check_id, connection_id, at);
