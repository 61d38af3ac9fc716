-- Whether the token may launch jobs, by the last good test; null before it.
alter table automation_connections add column can_launch boolean;
