-- Invitations that were not accepted. The secret follows from the id under the service's key; the
-- row has its hash.
create table user_invitations (
	user_id integer primary key references users on delete cascade,
	id uuid not null unique,
	token_hash text not null unique,
	invited_by_id integer references users on delete set null,
	created_at timestamptz not null,
	expires_at timestamptz not null
);
create index user_invitations_invited_by on user_invitations (invited_by_id);

-- Whether the user must choose a password before anything else.
alter table users add column must_change_password boolean not null default false;
