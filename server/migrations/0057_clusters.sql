-- Connections to several members of a fabric's cluster.
alter table controller_connections
	add column alternate_urls text[] not null default '{}',
	-- Domain of the fabric and serial of its node 1; null until it is known.
	add column fabric_id text,
	-- By address: {"state": "down", "last_error": "…", "since": "2026-01-01T00:00:00Z"}.
	add column members jsonb not null default '{}';

alter table pipeline_stages
	-- Address of the member that answered last.
	add column member_url text;
