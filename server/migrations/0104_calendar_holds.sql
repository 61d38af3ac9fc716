-- What freezes and maintenance keep back.

-- The freeze that kept a scheduled launch back: {"id", "title", "ends_at"}; null: none did. Such a request is launched by a person only.
alter table automation_requests add column held_by_freeze jsonb;

-- The entry that holds an alert of the state: {"id", "title"}; null: none does.
alter table check_states add column held_by jsonb;
create index check_states_held on check_states ((held_by ->> 'id')) where held_by is not null;

-- Alerts of schedules, the newest of each subject.
create table calendar_held_notices (
	id uuid primary key,
	entry_id uuid not null,
	entry_title text not null,
	user_id integer not null references users on delete cascade,
	-- The schedule, or the query and connection, that it is about.
	subject text not null,
	severity text not null,
	title text not null,
	addresses text[] not null default '{}',
	created_at timestamptz not null,
	unique (user_id, subject)
);
create index calendar_held_notices_entry on calendar_held_notices (entry_id);
