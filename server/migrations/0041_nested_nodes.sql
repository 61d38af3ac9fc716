-- The node whose job is the nested workflow that a node belongs to; null on the first level.
alter table automation_nodes add column parent_id integer;
