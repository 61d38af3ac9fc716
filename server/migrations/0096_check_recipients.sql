-- The recipients that a check adds to its owner, and deliveries to them.

alter table checks
	-- Null: the owner.
	add column notify_user_ids integer[],
	add column notify_webhook_ids uuid[] not null default '{}',
	add column notify_addresses text[] not null default '{}',
	add column notify_min_severity text not null default 'info';
alter table check_notified
	-- The check names the webhook, which does not take the category.
	add column is_named boolean not null default false,
	-- People and addresses that were notified with the owner.
	add column recipient_ids integer[] not null default '{}',
	add column recipient_addresses text[] not null default '{}';
alter table notification_deliveries
	-- The sender names the webhook, whatever its categories.
	add column is_named boolean not null default false,
	-- Of a mail to an address instead of the user, who is the sender.
	add column address text;
