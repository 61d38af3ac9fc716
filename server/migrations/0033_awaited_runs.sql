-- Whether somebody is to be told of a run's end. Runs that a person starts and watches need no more than their own rows.

alter table pipeline_jobs add column awaited boolean not null default true;
