-- Controller connections. A user's connections, and the credentials in them, go with the user.

create table controller_connections (
	id uuid primary key,
	name text not null,
	description text not null default '',
	url text not null,
	username text not null,
	-- Encrypted under the context `controller_connection:<id>:password`.
	password_sealed text not null,
	verify_ssl boolean not null default true,
	timeout integer not null default 30 check (timeout between 5 and 300),
	is_active boolean not null default true,
	is_public boolean not null default false,
	-- Grows with every change of the address, the credentials or how to connect: sessions of an earlier one are void.
	revision integer not null default 1,
	last_tested_at timestamptz,
	last_test_status boolean,
	last_test_message text not null default '',
	created_by integer not null references users on delete cascade,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	constraint controller_connections_owner_name unique (created_by, name)
);
create index controller_connections_name on controller_connections (name, id);
create index controller_connections_public on controller_connections (name, id) where is_public;
