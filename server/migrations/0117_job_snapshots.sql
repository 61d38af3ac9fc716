-- The change window of a job captures the states before and after it. A request that only names the query of its
-- snapshots has a plan of one item, and no gate.
update automation_watches set status = 'failed', problem = 'Weft was updated before the state was captured.'
	where status = 'waiting';
-- Processes of the version before write them, and may run beside this one.
comment on column automation_watches.run_id is 'unused';
comment on column automation_watches.tries is 'unused';

-- What a request launches stays as it is.
alter table automation_requests disable trigger automation_requests_frozen;
with requests as (
	select id, watch_query_id, coalesce(json_array_length(template_snapshot -> 'expects'), 0) > 0 as is_declared
	from automation_requests
	where watch_query_id is not null and target_controller_id is not null
		and change_plan is null and change_window_id is null
)
update automation_requests r set change_plan = json_build_object('requires_approval', false, 'expectations', '[]'::json,
	'plan', json_build_object('name', 'Before and after the job', 'revision', 1,
		'items', json_build_array(json_build_object('query', q.watch_query_id,
			'compare', case when q.is_declared then 'exact' else 'record' end,
			'match', 'dn', 'severity', null, 'group_by', '[]'::json, 'tolerance', null, 'unsettled_when', null)),
		'settle', json_build_object('delay_s', 0, 'stable_rounds', 1,
			'interval_s', case when q.is_declared then 10 else 1 end, 'timeout_s', case when q.is_declared then 300 else 1 end),
		'gate', '{"before": "off", "fail_on": "warning", "quiet_baseline": false}'::json,
		'after_failure', 'notify', 'max_before_age_minutes', 60, 'before_timeout_s', 60,
		'snapshot_query', q.watch_query_id))
	from requests q where q.id = r.id;
alter table automation_requests enable trigger automation_requests_frozen;

drop index change_windows_ended;
create index change_windows_ended on change_windows (updated_at)
	where state in ('judged', 'closed', 'cancelled', 'expired');
