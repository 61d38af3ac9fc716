-- The role Author (group Editor) makes automation templates. Existing installations keep the rights of their groups:
-- administrators are notified of the difference.
insert into group_permissions select g.id, p.id from groups g cross join permissions p
where g.is_system and g.name = 'Editor' and (
		p.model in ('automationtemplate', 'columntemplate', 'validationlist', 'regexpattern')
		or p.codename in ('view_automationconnection', 'view_automationcategory')
	)
	and not exists (select from users)
on conflict do nothing;

-- Reports to administrators after an upgrade, each once.
create table upgrade_reports (
	name text primary key,
	-- Null: not sent yet.
	reported_at timestamptz
);
insert into upgrade_reports (name) select 'roles' where exists (select from users);
