-- Authors write automation templates too. A service that has users keeps its groups as they are, and
-- its administrators are notified of what differs.

insert into group_permissions select g.id, p.id from groups g cross join permissions p
where g.is_system and g.name = 'Editor' and not exists (select from users)
	and (p.codename = 'view_automationconnection'
		or p.model in ('automationtemplate', 'automationcategory', 'columntemplate', 'validationlist', 'regexpattern'))
on conflict do nothing;

create table upgrade_notices (
	-- What the notice is about.
	key text primary key,
	-- Null until administrators were notified.
	reported_at timestamptz
);

insert into upgrade_notices (key) select 'groups' where exists (select from users);
