-- Results of a saved query that are not its own: those of users who may not edit it, which only they see, and those with
-- variable values other than the query's.

-- A private history has an owner and no saved_query_id, so that nothing that reads the history of a query finds it.
alter table snapshot_histories add column private_of uuid references saved_queries (id) on delete cascade;
create index snapshot_histories_private on snapshot_histories (private_of) where private_of is not null;

-- Of the history. values_digest: SHA-256 of the variable values; null for those of the query.
alter table snapshots add column private_of uuid, add column values_digest text;
create index snapshots_private on snapshots (private_of, executed_by_id, executed_at desc) where private_of is not null;

-- is_trusted: decides checks, drift and baselines of the query.
alter table query_runs add column is_trusted boolean not null default true, add column values_digest text;
