-- The first state of an execution, of its launch and of the snapshots around it: an insert names none of them.
alter table automation_executions
	alter column status set default 'pending',
	alter column launch_state set default 'intent';
alter table automation_watches alter column status set default 'waiting';
