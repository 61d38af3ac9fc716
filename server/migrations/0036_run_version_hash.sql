-- Hash of the saved query's canvas that a run executes: its snapshot carries it, whatever the query has become meanwhile.
alter table pipeline_jobs add column query_version_hash text;
