-- The snapshot that has the rows of a run. Without a foreign key: snapshots are deleted by their own rules, and a run
-- that outlives its snapshot needs no change.
alter table pipeline_jobs add column snapshot_id uuid;
