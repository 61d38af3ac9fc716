-- Whether launches through a connection need an approval whatever a template says, and the ids of the
-- server's job templates whose launch is free.
alter table automation_connections
	add column approval text not null default 'by_template' check (approval in ('always', 'by_template')),
	add column free_job_template_ids integer[] not null default '{}',
	-- When administrators were notified that the connection leaves approval to templates.
	add column approval_reported_at timestamptz;
