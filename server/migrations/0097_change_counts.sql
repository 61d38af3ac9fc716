-- Counts of the feed of changes by whole days (UTC), so that windows of weeks are not counted row by row. A write to a row
-- of a day makes the day's counts outdated, in the same transaction; such days are counted from their rows.

create table change_days (
	day date primary key,
	-- False after a write to a row of the day.
	is_current boolean not null
);

-- How many rows of a day agree in all of this.
create table change_day_counts (
	day date not null references change_days on delete cascade,
	connection_id uuid not null,
	saved_query_id uuid not null,
	change text not null,
	class_name text,
	tenant text,
	severity smallint not null,
	users text[] not null,
	-- Queries of earlier rows of the group. For viewers of one of them, the row begins no entry.
	earlier uuid[] not null,
	-- Later rows of the group: [{"query", "severity", "users"}, …]; null: there are none.
	later jsonb,
	changes integer not null
);
create index change_day_counts_day on change_day_counts (day);

create function change_days_expire() returns trigger language plpgsql as $$
begin
	update change_days set is_current = false where is_current and day in (
		select (r.at at time zone 'UTC')::date from changed r
		union
		select (m.at at time zone 'UTC')::date from changed r
			join object_changes m on m.is_shared and m.group_id = r.group_id where r.is_shared);
	return null;
end $$;
create trigger change_days_insert after insert on object_changes referencing new table as changed
	for each statement execute function change_days_expire();
create trigger change_days_update after update on object_changes referencing new table as changed
	for each statement execute function change_days_expire();
create trigger change_days_delete after delete on object_changes referencing old table as changed
	for each statement execute function change_days_expire();
