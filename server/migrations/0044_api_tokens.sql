-- Tokens for programs. A revoked one stays for a while, so that its use can be told apart from an unknown secret.
create table api_tokens (
	id uuid primary key,
	user_id integer not null references users (id) on delete cascade,
	created_by_id integer references users (id) on delete set null,
	name text not null,
	-- The first characters of the secret, by which a user recognises it.
	prefix text not null,
	secret_hash bytea not null unique,
	-- Null: all permissions of the owner.
	permission_ids integer[],
	read_only boolean not null,
	-- Null: from everywhere.
	allowed_addresses text[],
	created_at timestamptz not null,
	expires_at timestamptz,
	expiry_notified_at timestamptz,
	revoked_at timestamptz,
	last_used_at timestamptz,
	last_used_ip text
);
create index api_tokens_user on api_tokens (user_id, created_at);
create index api_tokens_expiry on api_tokens (expires_at) where expiry_notified_at is null and revoked_at is null;

-- Networks from which a token was used: /24 of IPv4, /64 of IPv6.
create table api_token_networks (
	token_id uuid not null references api_tokens (id) on delete cascade,
	network text not null,
	first_used_at timestamptz not null,
	primary key (token_id, network)
);
