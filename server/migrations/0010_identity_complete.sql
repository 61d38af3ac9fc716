-- Quotas of groups and their daily counters, second factors, one-time secrets for passwords and email addresses.

-- Names that differ in case only would be taken for one another.
create unique index groups_lower_name on groups (lower(name));

create index user_permissions_permission on user_permissions (permission_id);
create index group_permissions_permission on group_permissions (permission_id);

-- For the orderings and filters of the list of users.
create index users_date_joined on users (date_joined, id);
create index users_last_login on users (last_login, id);

-- Numbers: 0 is unlimited.
create table group_quotas (
	group_id integer primary key references groups on delete cascade,
	queries_max integer not null,
	scheduled_tasks_max integer not null,
	connections_max integer not null,
	automation_requests_daily integer not null,
	automation_concurrent integer not null,
	result_rows_max integer not null,
	export_rows_max integer not null,
	executions_daily integer not null,
	ai_analysis_daily integer not null,
	can_create_queries boolean not null,
	can_execute_queries boolean not null,
	can_schedule boolean not null,
	can_use_automation boolean not null,
	can_use_time_machine boolean not null,
	can_export boolean not null,
	can_share boolean not null,
	can_use_ai_builder boolean not null
);

-- What a user has used up of a daily quota; days are UTC.
create table quota_usage (
	user_id integer not null references users on delete cascade,
	quota text not null,
	day date not null,
	used integer not null,
	primary key (user_id, quota, day)
);
create index quota_usage_day on quota_usage (day);

create table user_mfa (
	user_id integer primary key references users on delete cascade,
	-- Encrypted under the context `user_mfa:<user_id>:secret`.
	secret_sealed text not null,
	-- The key under which the backup codes are hashed; encrypted under `user_mfa:<user_id>:backup_key`.
	backup_key_sealed text not null,
	-- Null between setup and the first right code.
	confirmed_at timestamptz,
	created_at timestamptz not null
);

-- Time steps whose code was accepted: none is accepted twice.
create table mfa_used_steps (
	user_id integer not null references users on delete cascade,
	step bigint not null,
	primary key (user_id, step)
);

create table mfa_backup_codes (
	user_id integer not null references users on delete cascade,
	code_hash text not null,
	primary key (user_id, code_hash)
);

-- Between the password and the second factor.
create table mfa_challenges (
	token_hash text primary key,
	user_id integer not null references users on delete cascade,
	tries integer not null default 0,
	created_at timestamptz not null,
	expires_at timestamptz not null
);
create index mfa_challenges_user on mfa_challenges (user_id);
create index mfa_challenges_expiry on mfa_challenges (expires_at);

-- Links sent by mail and codes given by administrators; the secrets themselves are nowhere stored.
create table user_tokens (
	id uuid primary key,
	user_id integer not null references users on delete cascade,
	purpose text not null check (purpose in ('password_reset', 'reset_code', 'email_verification')),
	token_hash text not null,
	-- The address that the token was sent to: it is void once the user has another.
	email text not null default '',
	created_at timestamptz not null,
	expires_at timestamptz not null
);
create unique index user_tokens_hash on user_tokens (purpose, token_hash);
create index user_tokens_user on user_tokens (user_id, purpose);
create index user_tokens_expiry on user_tokens (expires_at);
