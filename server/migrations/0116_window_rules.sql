-- The drift rules of each query at the start of a change window, by the query's id: both sides and every recheck are
-- compared by them. Null for windows that started under an earlier version, which use the present rules.
alter table change_windows add column drift_rules jsonb;
-- The exit code of the command that did the work, for the report. Null if none was given.
alter table change_windows add column command_exit_code integer;
-- Why the answers of the controller before the work may lack objects, such as peers that it has lost. Null if nothing
-- is known against them.
alter table change_window_connections add column defect_before text;
