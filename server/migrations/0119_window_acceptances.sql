-- Findings that were accepted, by the fingerprint that the same finding of another verdict has. They outlast a verdict
-- that does not have the finding.
create table change_window_acceptances (
	window_id uuid not null references change_windows on delete cascade,
	fingerprint text not null,
	accepted_by text not null,
	accepted_at timestamptz not null,
	reason text not null,
	primary key (window_id, fingerprint)
);
insert into change_window_acceptances (window_id, fingerprint, accepted_by, accepted_at, reason)
	select window_id, fingerprint, accepted_by, accepted_at, reason from change_window_findings
		where accepted_by is not null and accepted_at is not null
	on conflict do nothing;
