-- When a later result equalled a history's latest snapshot, for which no snapshot is stored.
alter table snapshot_histories add column confirmed_at timestamptz;
