-- Work on a history that lost its race too often reserves it: until then others do not change it.
alter table snapshot_histories add column reserved_by uuid, add column reserved_until timestamptz;
