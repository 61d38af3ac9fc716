-- Whether the server refused the output of a job of a workflow. Processes of the version before ignore it.
alter table automation_streams add column unread boolean not null default false;
