-- The problems that each reader of a check was notified of and that are not over. A row outlives its check and its connection, so that
-- their deletion can be announced. It takes over from check_states.told, which the previous version still writes.
create table check_notified (
	check_id uuid not null,
	check_name text not null,
	owner_id integer not null references users on delete cascade,
	-- Null: all connections of the check together.
	connection_id uuid,
	connection_name text,
	-- Null: the owner, by the list of notifications and by mail.
	webhook_id uuid references webhooks on delete cascade,
	failing boolean not null,
	error boolean not null,
	constraint check_notified_reader unique nulls not distinct (check_id, connection_id, webhook_id)
);
create index check_notified_owner on check_notified (owner_id);
create index check_notified_webhook on check_notified (webhook_id) where webhook_id is not null;

insert into check_notified
	select c.id, c.name, c.owner_id, s.connection_id, cc.name, r.webhook_id, s.told = 'failing', s.told = 'error'
	from check_states s
		join checks c on c.id = s.check_id
		left join controller_connections cc on cc.id = s.connection_id
		cross join lateral (
			select null::uuid as webhook_id
			union all
			select w.id from webhooks w
			where w.enabled and 'scheduled_task' = any(w.categories) and (w.user_id is null or w.user_id = c.owner_id)) r
	where s.told is not null;
