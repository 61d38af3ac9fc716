-- Who changed what a snapshot shows as drift, as the controller's records said after its capture:
-- {clock_skew_ms, requests, complete, error, objects: {dn: {changed_by, changed_by_reason}}}, bounded
-- to the first 2,000 objects.
create table snapshot_attributions (
	snapshot_id uuid primary key references snapshots (id) on delete cascade,
	found jsonb not null
);
