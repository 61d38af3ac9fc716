-- Each role is enough by itself: a user is in exactly the groups that were chosen, and not in Users as well.

insert into group_permissions select g.id, p.id from groups g cross join permissions p
where g.is_system and (
	(g.name in ('Editor', 'Operator') and p.codename = 'view_modelversion')
	or (g.name = 'Viewer' and p.model in ('favorite', 'tablepreference', 'notification', 'notificationpreference'))
)
on conflict do nothing;
