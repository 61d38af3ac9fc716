-- The end of an execution by the clock of Weft, beside finished_at, which is that of the automation server. Null before
-- the end, and for executions that ended under an earlier version.
alter table automation_executions add column ended_at timestamptz;
