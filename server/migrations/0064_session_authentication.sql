-- When the user of a session last proved who they are; null: when the session began.
alter table sessions add column authenticated_at timestamptz;
