-- Quotas of checks, connection groups and categories. Rows of group_quotas that exist get the numbers that hold without a quota.
alter table group_quotas
	add column checks_max integer not null default 500,
	add column connection_groups_max integer not null default 100,
	add column categories_max integer not null default 50;

-- Who made a category; null for those made before, which count for nobody.
alter table query_categories add column created_by_id integer references users on delete set null;
alter table automation_categories add column created_by_id integer references users on delete set null;
create index query_categories_creator on query_categories (created_by_id) where created_by_id is not null;
create index automation_categories_creator on automation_categories (created_by_id) where created_by_id is not null;
