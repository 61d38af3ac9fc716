-- Change plans and change windows: what was declared, what was found before and after, and the verdict.

alter table group_quotas add column change_plans_max integer not null default 100;

-- What each row of a request is expected to change: `{column}` stands for the value of a row.
alter table automation_templates add column expects json not null default '[]';

create table change_plans (
	id uuid primary key,
	owner_id integer not null references users on delete cascade,
	name text not null,
	description text not null,
	items jsonb not null,
	settle jsonb not null,
	gate jsonb not null,
	after_failure text not null check (after_failure in ('notify', 'request_rollback', 'launch_rollback')),
	max_before_age_minutes integer not null,
	requires_approval boolean not null,
	expectations jsonb not null,
	is_public boolean not null,
	-- From 1 on; each edit makes one.
	revision integer not null default 1,
	-- The plan that ships that it was installed from.
	template text,
	created_at timestamptz not null,
	updated_at timestamptz not null
);
create index change_plans_owner on change_plans (owner_id);
create index change_plans_name on change_plans (name, id);

create table change_windows (
	id uuid primary key,
	-- Null: the account is gone.
	owner_id integer references users on delete set null,
	owner_name text not null,
	title text not null,
	ticket_number text,
	ticket_url text,
	plan_id uuid references change_plans on delete set null,
	-- What the plan said: name, revision, items, settle, gate, after_failure, max_before_age_minutes.
	plan jsonb not null,
	starts_at timestamptz,
	ends_at timestamptz,
	auto_start boolean not null,
	auto_finish boolean not null,
	requires_approval boolean not null,
	implementers text[] not null,
	state text not null check (state in ('draft', 'waiting', 'planned', 'checking_before', 'blocked', 'open', 'settling',
		'judged', 'closed', 'cancelled', 'expired')),
	-- Null: nothing happens by itself. Of planned the start, of open the end, of settling the next round.
	next_at timestamptz,
	approved_by_id integer references users on delete set null,
	approved_by text,
	approved_at timestamptz,
	-- The round that runs or ran last; 0 before the first one.
	round integer not null default 0,
	-- When the next round begins; null while one runs, and where none is due.
	round_at timestamptz,
	-- The next round takes every item, also those that have settled.
	common_next boolean not null default false,
	-- The first round of the phase, and since when it takes its time.
	phase_round integer not null default 0,
	phase_at timestamptz,
	-- Why the gate did not pass; null before it was reached.
	gate jsonb,
	override jsonb,
	opened_at timestamptz,
	-- When the work ended.
	finished_at timestamptz,
	-- The next round is judged, settled or not.
	judge_now boolean not null default false,
	verdict text check (verdict in ('failed', 'inconclusive', 'passed_with_warnings', 'passed')),
	verdict_reasons text[] not null default '{}',
	changed boolean,
	-- All verdicts, oldest first, each with its connections.
	verdicts jsonb not null default '[]',
	signed_by text,
	signed_at timestamptz,
	sign_comment text not null default '',
	-- The JSON report as it was signed, and its SHA-256.
	report text,
	report_sha256 text,
	idempotency_key text,
	created_at timestamptz not null,
	updated_at timestamptz not null
);
create unique index change_windows_key on change_windows (owner_id, idempotency_key) where idempotency_key is not null;
create index change_windows_created on change_windows (created_at desc, id desc);
create index change_windows_ticket on change_windows (ticket_number) where ticket_number is not null;
create index change_windows_next on change_windows (next_at) where next_at is not null;
create index change_windows_ended on change_windows (updated_at) where state in ('closed', 'cancelled', 'expired');

create table change_window_connections (
	window_id uuid not null references change_windows on delete cascade,
	connection_id uuid not null,
	connection_name text not null,
	-- Orders them, from 0 on.
	position integer not null,
	release_before text,
	release_after text,
	primary key (window_id, connection_id)
);
create index change_window_connections_connection on change_window_connections (connection_id);

create table change_window_expectations (
	id uuid primary key,
	window_id uuid not null references change_windows on delete cascade,
	-- Orders them, from 0 on.
	position integer not null,
	is_late boolean not null,
	data jsonb not null
);
create index change_window_expectations_window on change_window_expectations (window_id, position);

create table change_window_rounds (
	window_id uuid not null references change_windows on delete cascade,
	round integer not null,
	phase text not null check (phase in ('before', 'after')),
	started_at timestamptz not null,
	-- When the last of its runs had ended.
	ended_at timestamptz,
	-- Whether every item was captured on every connection, also those that had settled.
	is_common boolean not null,
	-- Version of the class model that was loaded; null without one.
	model text,
	primary key (window_id, round)
);

-- One run of one query on one connection within a round.
create table change_window_captures (
	window_id uuid not null,
	round integer not null,
	saved_query_id uuid not null,
	connection_id uuid not null,
	-- Null: it could not be started.
	run_id uuid,
	query_version text,
	version_hash text,
	snapshot_id uuid,
	-- When the snapshot's rows were read; of rows that equal the snapshot before, when they were read again.
	captured_at timestamptz,
	-- Null: it runs. Else whether there is a snapshot.
	is_complete boolean,
	error text,
	primary key (window_id, round, saved_query_id, connection_id),
	foreign key (window_id, round) references change_window_rounds on delete cascade
);
create index change_window_captures_run on change_window_captures (run_id) where run_id is not null;
create index change_window_captures_snapshot on change_window_captures (snapshot_id) where snapshot_id is not null;

-- What an item of the plan said in a round: the result of a check, and whether the fabric had settled.
create table change_window_results (
	window_id uuid not null,
	round integer not null,
	item integer not null,
	connection_id uuid not null,
	-- Of a check: its state, violations and objects that violate it.
	side jsonb,
	-- Rows by group, of an item that tolerates other numbers.
	groups jsonb,
	-- Rows that show that the fabric is still working; null where the item does not look for any.
	unsettled_rows integer,
	-- Comparisons with the round before without a difference, up to this round.
	stable_rounds integer not null,
	primary key (window_id, round, item, connection_id),
	foreign key (window_id, round) references change_window_rounds on delete cascade
);

-- The findings of the last verdict.
create table change_window_findings (
	id uuid primary key,
	window_id uuid not null references change_windows on delete cascade,
	-- Orders them as a report does, from 0 on.
	position integer not null,
	class text not null,
	connection_id uuid not null,
	item integer,
	-- The same for the same finding of another verdict.
	fingerprint text not null,
	data jsonb not null,
	accepted_by text,
	accepted_at timestamptz,
	reason text not null default ''
);
create index change_window_findings_window on change_window_findings (window_id, position);

create table change_window_events (
	id uuid primary key,
	window_id uuid not null references change_windows on delete cascade,
	at timestamptz not null,
	user_name text,
	event text not null,
	from_state text,
	to_state text not null,
	detail text not null
);
create index change_window_events_window on change_window_events (window_id, at, id);

insert into permissions (codename, name, app, model, is_dangerous)
	select verb || '_' || model, 'Can ' || verb || ' ' || model, 'time_machine', model, false
	from (values ('view'), ('add'), ('change'), ('delete')) as verbs(verb), (values ('changeplan'), ('changewindow')) as models(model);
insert into permissions (codename, name, app, model, is_dangerous) values
	('approve_changewindow', 'Can approve change windows', 'time_machine', 'changewindow', true),
	('override_changewindow', 'Can open change windows that are blocked', 'time_machine', 'changewindow', true);

insert into group_permissions select g.id, p.id from groups g cross join permissions p
where g.is_system and p.model in ('changeplan', 'changewindow') and (
	g.name = 'Admin'
	or (g.name in ('Operator', 'Editor') and p.codename not in ('approve_changewindow', 'override_changewindow')
		and (p.model = 'changeplan' or p.codename = 'view_changewindow' or g.name = 'Operator'))
	or (g.name in ('Viewer', 'Users') and p.codename in ('view_changeplan', 'view_changewindow'))
);
