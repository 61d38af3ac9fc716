-- Rows whose result was not known at the end of the job; null before the end, and for jobs that ended before this column.
alter table automation_executions add column rows_unknown integer;
-- A list of {code, message, fields}: facts that do not make the job a failure.
alter table automation_executions add column warnings json not null default '[]';
-- Items of loops of which the server tells neither value nor result (no_log).
alter table automation_streams add column hidden_items integer not null default 0;
