-- How many snapshots a history has, kept with each change. Whoever captures or removes holds the history's row already.

alter table snapshot_histories add column snapshot_count integer not null default 0;

create function snapshots_count() returns trigger language plpgsql as $$
begin
	if tg_op = 'INSERT' then
		update snapshot_histories h set snapshot_count = h.snapshot_count + c.n
			from (select history_id, count(*) as n from added group by 1) c where h.id = c.history_id;
	else
		update snapshot_histories h set snapshot_count = h.snapshot_count - c.n
			from (select history_id, count(*) as n from removed group by 1) c where h.id = c.history_id;
	end if;
	return null;
end $$;
create trigger snapshots_count_insert after insert on snapshots referencing new table as added
	for each statement execute function snapshots_count();
create trigger snapshots_count_delete after delete on snapshots referencing old table as removed
	for each statement execute function snapshots_count();

update snapshot_histories h set snapshot_count = c.n
	from (select history_id, count(*) as n from snapshots group by 1) c where h.id = c.history_id;
