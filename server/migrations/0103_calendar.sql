-- The calendar: freezes, which refuse changes of fabrics, and maintenance, which holds alerts.
create table calendar_entries (
	id uuid primary key,
	kind text not null check (kind in ('freeze', 'maintenance')),
	title text not null,
	reason text not null,
	ticket_number text,
	ticket_url text,
	-- Both empty: all connections. Ids of deleted connections and groups stay, so that an entry never becomes one for all.
	connection_ids uuid[] not null,
	connection_group_ids uuid[] not null,
	starts_at timestamptz not null,
	-- Of the first occurrence.
	ends_at timestamptz not null,
	rrule text,
	exdates timestamptz[] not null,
	time_zone text not null,
	is_active boolean not null,
	source text not null check (source in ('manual', 'ics')),
	created_by_id integer references users on delete set null,
	created_at timestamptz not null,
	updated_at timestamptz not null
);
create index calendar_entries_creator on calendar_entries (created_by_id);
create index calendar_entries_start on calendar_entries (starts_at, id);

alter table group_quotas add column calendar_entries_max integer not null default 200;

insert into permissions (codename, name, app, model, is_dangerous)
	select verb || '_calendarentry', 'Can ' || verb || ' calendar entry', 'calendar', 'calendarentry', false
	from (values ('view'), ('add'), ('change'), ('delete')) as verbs(verb);
insert into permissions (codename, name, app, model, is_dangerous)
	values ('override_freeze', 'Can override freezes', 'calendar', 'freeze', true);

-- Whoever sees connections sees their freezes and maintenance.
insert into group_permissions
	select held.group_id, new.id
	from group_permissions held
		join permissions old on old.id = held.permission_id and old.codename = 'view_controllerconnection'
		cross join permissions new
	where new.codename = 'view_calendarentry'
on conflict do nothing;
insert into group_permissions
	select g.id, p.id from groups g cross join permissions p
	where g.is_system and p.app = 'calendar'
		and (g.name = 'Admin' or (g.name = 'Operator' and p.codename <> 'override_freeze'))
on conflict do nothing;
