-- Change windows around automation jobs. Ids of plans and windows have no keys: their tables come later, and a request
-- keeps the plan as it was when it was named.
alter table automation_templates add column requires_change_plan boolean not null default false;

alter table automation_requests
	add column change_plan_id uuid,
	add column change_plan_name text,
	add column change_plan_revision integer,
	-- What the plan said; null without a plan.
	add column change_plan json,
	-- The window that was named, or that was made of the plan at the last launch.
	add column change_window_id uuid,
	-- The window whose verdict asked for this rollback.
	add column rollback_window_id uuid;
create index automation_requests_change_window on automation_requests (change_window_id)
	where change_window_id is not null;
create index automation_requests_rollback on automation_requests (rollback_of) where rollback_window_id is not null;

-- A window asks for the rollback of a request once.
create table automation_window_rollbacks (
	request_id uuid not null references automation_requests on delete cascade,
	window_id uuid not null,
	primary key (request_id, window_id)
);

-- Besides intent, sending, launched and ended: waiting_before and blocked, of which nothing was sent, and nothing is
-- before the change window opens.
alter table automation_executions
	drop constraint automation_executions_launch_state_check,
	add column change_window_id uuid,
	-- When the change window let it go; null: it waited for none.
	add column released_at timestamptz;
create index automation_executions_change_window on automation_executions (change_window_id)
	where change_window_id is not null;

-- The plan is frozen with the rest of what is approved.
create or replace function automation_requests_frozen() returns trigger language plpgsql as $$
begin
	if old.status not in ('awaiting_approval', 'pending')
		and not (old.status = 'rejected' and new.status = 'awaiting_approval')
		and row (
			new.input_data::text, new.secrets_sealed is null, new.template_snapshot::text, new.check_mode, new.connection_id,
			new.target_controller_id, new.credential_id, new.prompts::text, new.change_plan::text
		) is distinct from row (
			old.input_data::text, old.secrets_sealed is null, old.template_snapshot::text, old.check_mode, old.connection_id,
			old.target_controller_id, old.credential_id, old.prompts::text, old.change_plan::text
		) then
		raise exception 'the request % is %: what it launches cannot be changed', old.id, old.status;
	end if;
	return new;
end $$;
drop trigger automation_requests_frozen on automation_requests;
create trigger automation_requests_frozen before update
	of input_data, secrets_sealed, template_snapshot, check_mode, connection_id, target_controller_id, credential_id, prompts,
		change_plan
	on automation_requests for each row execute function automation_requests_frozen();
