-- Labelled snapshots of a query on a connection, the newest first: baselines of checks.
create index snapshots_labelled on snapshots (saved_query_id, controller_connection_id, executed_at desc)
	where label is not null;
