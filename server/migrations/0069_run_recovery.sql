-- Recovery of runs: deaths count only without progress, and a run that is suspected to cause them is resumed after a pause.
alter table pipeline_jobs
	-- The highest percentage that any attempt reached.
	add column best_progress integer not null default 0,
	-- Until then no worker takes the run; null for a run that no death is suspected of.
	add column paused_until timestamptz;
