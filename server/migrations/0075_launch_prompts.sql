-- Launch prompts (limit, tags, verbosity …) that a template sets, those that it lets requests set, and those that a
-- request sets. Values that are not set are absent.
alter table automation_templates
	add column prompts json not null default '{}',
	add column askable text[] not null default '{}';
alter table automation_requests add column prompts json not null default '{}';

-- Launch prompts are frozen with the rest of what is launched.
create or replace function automation_requests_frozen() returns trigger language plpgsql as $$
begin
	if old.status not in ('awaiting_approval', 'pending')
		and not (old.status = 'rejected' and new.status = 'awaiting_approval')
		and row (
			new.input_data::text, new.secrets_sealed is null, new.template_snapshot::text, new.check_mode, new.connection_id,
			new.target_controller_id, new.credential_id, new.prompts::text
		) is distinct from row (
			old.input_data::text, old.secrets_sealed is null, old.template_snapshot::text, old.check_mode, old.connection_id,
			old.target_controller_id, old.credential_id, old.prompts::text
		) then
		raise exception 'the request % is %: what it launches cannot be changed', old.id, old.status;
	end if;
	return new;
end $$;
drop trigger automation_requests_frozen on automation_requests;
create trigger automation_requests_frozen before update
	of input_data, secrets_sealed, template_snapshot, check_mode, connection_id, target_controller_id, credential_id, prompts
	on automation_requests for each row execute function automation_requests_frozen();
