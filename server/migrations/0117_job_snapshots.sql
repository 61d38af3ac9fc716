-- The change window of a job captures the states before and after it. A request that only names the query of its
-- snapshots has a plan of one item, and no gate.
update automation_watches set status = 'failed', problem = 'Weft was updated before the state was captured.'
	where status = 'waiting';
-- Processes of the version before write them, and may run beside this one.
comment on column automation_watches.run_id is 'unused';
comment on column automation_watches.tries is 'unused';

update automation_requests set change_plan = jsonb_build_object('requires_approval', false, 'expectations', '[]'::jsonb,
	'plan', jsonb_build_object('name', 'Before and after the job', 'revision', 1,
		'items', jsonb_build_array(jsonb_build_object('query', watch_query_id, 'compare', 'record',
			'match', 'dn', 'severity', null, 'group_by', '[]'::jsonb, 'tolerance', null, 'unsettled_when', null)),
		'settle', '{"delay_s": 0, "interval_s": 1, "stable_rounds": 1, "timeout_s": 1}'::jsonb,
		'gate', '{"before": "off", "fail_on": "warning", "quiet_baseline": false}'::jsonb,
		'after_failure', 'notify', 'max_before_age_minutes', 60, 'before_timeout_s', 60,
		'snapshot_query', watch_query_id))
	where watch_query_id is not null and target_controller_id is not null
		and change_plan is null and change_window_id is null;
