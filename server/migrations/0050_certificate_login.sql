-- Controller connections that sign each request instead of signing in with a password.
alter table controller_connections
	add column auth_method text not null default 'password' check (auth_method in ('password', 'certificate')),
	-- The user's certificate on the controller: uni/userext/user-U/usercert-C.
	add column certificate_dn text,
	-- PEM, encrypted under `controller_connection:<id>:private_key`. Empty with a password, as
	-- `password_sealed` is with a certificate.
	add column private_key_sealed text not null default '';
