-- The history of requests: versions, decisions, comments and launches.
alter table automation_requests
	-- Each change of the request adds 1.
	add column version integer not null default 1,
	-- SHA-256 of the rows as they are stored, with masked passwords; null for rows stored without one.
	add column rows_digest text,
	-- Whether it was rejected with the wish that it is changed and submitted again.
	add column changes_requested boolean not null default false;

create table automation_request_events (
	id bigint generated always as identity primary key,
	request_id uuid not null references automation_requests on delete cascade,
	at timestamptz not null,
	username text not null,
	action text not null check (action in
		('created', 'changed', 'approved', 'rejected', 'changes_requested', 'commented', 'launched', 'cancelled')),
	-- The version that the entry is about; of a change, the new one.
	version integer not null,
	-- The first changes: [{path, before, after}], with masked passwords.
	changes json not null default '[]',
	changes_total integer not null default 0,
	comment text not null default '',
	digest text,
	-- Of a change: the version before it as it was shown; null where it was too large.
	superseded json
);
create index automation_request_events_request on automation_request_events (request_id, id);

insert into automation_request_events (request_id, at, username, action, version)
select id, requested_at, requested_by, 'created', 1 from automation_requests;
insert into automation_request_events (request_id, at, username, action, version, comment)
select id, approved_at, approved_by, 'approved', 1, coalesce(approval_comment, '') from automation_requests
where approved_at is not null and approved_by is not null;
insert into automation_request_events (request_id, at, username, action, version, comment)
select id, rejected_at, rejected_by, 'rejected', 1, coalesce(rejection_reason, '') from automation_requests
where rejected_at is not null and rejected_by is not null;

-- Dry runs of the same rows.
create index automation_requests_digest on automation_requests (rows_digest) where check_mode;

-- A rejected request is changed only on its way back to approval.
create or replace function automation_requests_frozen() returns trigger language plpgsql as $$
begin
	if old.status not in ('awaiting_approval', 'pending')
		and not (old.status = 'rejected' and new.status = 'awaiting_approval')
		and row (
			new.input_data::text, new.secrets_sealed is null, new.template_snapshot::text, new.check_mode, new.connection_id,
			new.target_controller_id, new.credential_id
		) is distinct from row (
			old.input_data::text, old.secrets_sealed is null, old.template_snapshot::text, old.check_mode, old.connection_id,
			old.target_controller_id, old.credential_id
		) then
		raise exception 'the request % is %: what it launches cannot be changed', old.id, old.status;
	end if;
	return new;
end $$;
