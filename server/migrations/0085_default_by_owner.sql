-- The default connection to automation servers is one for each owner; a public one of an administrator counts for all
-- users. The service keeps it single: the index allowed one default of the whole service.
drop index automation_connections_default;

-- The default ends with its owner's account. Otherwise a public connection of an ordinary user, which is the
-- administrators' then, would become the default of all users.
create function automation_connections_default_ends() returns trigger language plpgsql as $$
begin
	new.is_default := false;
	return new;
end $$;
create trigger automation_connections_default_ends before update of created_by on automation_connections
	for each row when (old.created_by is not null and new.created_by is null)
	execute function automation_connections_default_ends();
update automation_connections set is_default = false where created_by is null and is_default;
