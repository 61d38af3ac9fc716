-- Groups of controller connections. A group goes with its owner, a member with its connection.

create table connection_groups (
	id uuid primary key,
	name text not null,
	description text not null,
	is_public boolean not null,
	created_by integer not null references users on delete cascade,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	constraint connection_groups_owner_name unique (created_by, name)
);
create index connection_groups_name on connection_groups (name, id);

create table connection_group_members (
	group_id uuid not null references connection_groups on delete cascade,
	connection_id uuid not null references controller_connections on delete cascade,
	-- Orders the members of a group, from 0 on; deleted members leave gaps.
	position integer not null,
	primary key (group_id, connection_id)
);
create index connection_group_members_connection on connection_group_members (connection_id);
