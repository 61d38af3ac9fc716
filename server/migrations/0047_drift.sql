-- What counts as drift of a query; '{}' are the defaults of contracts/src/drift.ts.
alter table saved_queries add column drift_rules jsonb not null default '{}';

-- Against the snapshot before: {added, deleted, modified, ignored, severity}. Null for the first one
-- of a history, and for those of a version before this column.
alter table snapshots add column drift jsonb;
