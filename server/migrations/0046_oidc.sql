-- Signing in at an identity provider (OpenID Connect). Codes and states are stored as hashes only.

-- The account at the provider that a user signs in with. A name may be given to another person
-- there; issuer and subject may not.
create table oidc_accounts (
	user_id integer primary key references users on delete cascade,
	issuer text not null,
	subject text not null,
	-- The last ID token, which ends the session at the provider; encrypted under
	-- `oidc_accounts:<user_id>:id_token`. Null: too long.
	id_token_sealed text,
	unique (issuer, subject)
);

-- Sign-ins between the start and the callback.
create table oidc_states (
	id bigint generated always as identity primary key,
	state_hash text not null unique,
	-- Of the cookie that the browser got with the start.
	browser_hash text not null,
	next text not null,
	expires_at timestamptz not null
);
create index oidc_states_expiry on oidc_states (expires_at);

-- Sign-ins between the callback and the exchange.
create table oidc_codes (
	code_hash text primary key,
	browser_hash text not null,
	user_id integer not null references users on delete cascade,
	expires_at timestamptz not null
);
create index oidc_codes_user on oidc_codes (user_id);
create index oidc_codes_expiry on oidc_codes (expires_at);
