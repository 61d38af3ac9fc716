-- Where the rows of a request were taken from; null where they were given.
alter table automation_requests add column input_source jsonb;
