-- Completed runs of saved queries by connection and time: they say in which periods a fabric was observed.
create index pipeline_jobs_observed on pipeline_jobs (controller_connection_id, completed_at)
	where status = 'completed' and saved_query_id is not null;
