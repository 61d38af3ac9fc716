-- Accounts whose person is gone from the directory or at the identity provider: since when, when the
-- directory was asked for the account last, and when it answered.
alter table users add column gone_since timestamptz, add column source_asked_at timestamptz,
	add column source_answered_at timestamptz;
create index users_gone on users (id) where gone_since is not null;
