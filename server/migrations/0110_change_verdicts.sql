-- Verdicts of change windows that were ever given: a counter, which stays when windows are deleted.

create table change_verdict_counts (
	verdict text primary key check (verdict in ('failed', 'inconclusive', 'passed_with_warnings', 'passed')),
	total bigint not null default 0
);

insert into change_verdict_counts (verdict, total)
select kind, (
	select count(*) from change_windows w, jsonb_array_elements(w.verdicts) v where v ->> 'verdict' = kind
)
from unnest(array['failed', 'inconclusive', 'passed_with_warnings', 'passed']) kind;
