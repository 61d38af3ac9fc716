-- Whether a connection reaches its controllers, as its last test or run found.

alter table controller_connections
	-- When a test or run failed first since the last one that reached a controller; null: none did.
	add column down_since timestamptz,
	add column down_error text not null default '',
	-- When a controller answered, to a minute; null: none did since the connection changed.
	add column reached_at timestamptz;
update controller_connections set
	down_since = case when last_test_status then null else last_tested_at end,
	down_error = case when last_test_status then '' else last_test_message end,
	reached_at = case when last_test_status then last_tested_at end
	where last_test_status is not null;
