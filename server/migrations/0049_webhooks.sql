-- Several webhooks per user, and shared ones. Replaces notification_webhooks, of which each user has one row.

create table webhooks (
	id uuid primary key,
	-- Null: shared, and the administrators'.
	user_id integer references users on delete cascade,
	name text not null,
	format text not null check (format in ('json', 'slack', 'teams')),
	enabled boolean not null,
	url text not null,
	-- Encrypted under `webhooks:<id>:secret`, or as a copy under the context of its original; empty where none was given.
	secret_sealed text not null,
	categories text[] not null,
	-- Failures since the last success.
	failures integer not null default 0,
	failing_since timestamptz,
	-- Nothing is sent before.
	held_until timestamptz,
	last_attempt_at timestamptz,
	last_success_at timestamptz,
	last_error text not null default '',
	created_at timestamptz not null,
	updated_at timestamptz not null
);
create index webhooks_user on webhooks (user_id, created_at, id);

-- What shared webhooks were sent, by the key of the notification: each event once, however many users are notified of it.
create table webhook_events (
	webhook_id uuid not null,
	key text not null,
	created_at timestamptz not null,
	primary key (webhook_id, key)
);
create index webhook_events_time on webhook_events (created_at);

-- While nodes of the previous version run, both tables have the same rows: a copy's id ends in the user's id as hexadecimal
-- digits. The functions and notification_webhooks may be removed one version later.
create function webhook_id_of(integer) returns uuid language sql immutable as
	'select (''00000000-0000-4000-8000-'' || lpad(to_hex($1), 12, ''0''))::uuid';

create function copy_to_webhooks() returns trigger language plpgsql as '
begin
	if tg_op = ''DELETE'' then
		delete from webhooks where id = webhook_id_of(old.user_id);
	else
		insert into webhooks (id, user_id, name, format, enabled, url, secret_sealed, categories, failures, failing_since, held_until,
			last_attempt_at, last_success_at, last_error, created_at, updated_at)
		values (webhook_id_of(new.user_id), new.user_id, ''Webhook'', ''json'', new.enabled, new.url, new.secret_sealed, new.categories,
			new.failures, new.failing_since, new.held_until, new.last_attempt_at, new.last_success_at, new.last_error, new.created_at,
			new.updated_at)
		on conflict (id) do update set enabled = excluded.enabled, url = excluded.url, secret_sealed = excluded.secret_sealed,
			categories = excluded.categories, failures = excluded.failures, failing_since = excluded.failing_since,
			held_until = excluded.held_until, last_attempt_at = excluded.last_attempt_at, last_success_at = excluded.last_success_at,
			last_error = excluded.last_error, updated_at = excluded.updated_at;
	end if;
	return null;
end';

-- A shared webhook, or one of another format, is none that the previous version could send to.
create function copy_from_webhooks() returns trigger language plpgsql as '
begin
	if tg_op = ''DELETE'' then
		delete from notification_webhooks where webhook_id_of(user_id) = old.id;
	else
		update notification_webhooks set enabled = new.enabled and new.format = ''json'' and new.user_id is not null, url = new.url,
			secret_sealed = new.secret_sealed, categories = new.categories, failures = new.failures, failing_since = new.failing_since,
			held_until = new.held_until, last_attempt_at = new.last_attempt_at, last_success_at = new.last_success_at,
			last_error = new.last_error, updated_at = new.updated_at
		where webhook_id_of(user_id) = new.id;
	end if;
	return null;
end';

create index notification_webhooks_copy on notification_webhooks (webhook_id_of(user_id));
create trigger notification_webhooks_copied after insert or update or delete on notification_webhooks
	for each row when (pg_trigger_depth() = 0) execute function copy_to_webhooks();
insert into webhooks (id, user_id, name, format, enabled, url, secret_sealed, categories, failures, failing_since, held_until,
	last_attempt_at, last_success_at, last_error, created_at, updated_at)
select webhook_id_of(user_id), user_id, 'Webhook', 'json', enabled, url, secret_sealed, categories, failures, failing_since,
	held_until, last_attempt_at, last_success_at, last_error, created_at, updated_at
from notification_webhooks;
create trigger webhooks_copied after update or delete on webhooks
	for each row when (pg_trigger_depth() = 0) execute function copy_from_webhooks();

-- The webhook of a delivery; null: of the one that the user had in the previous version. Of a shared webhook's delivery the user
-- is null. A notification may have a delivery for each of several webhooks.
alter table notification_deliveries add column webhook_id uuid;
alter table notification_deliveries alter column user_id drop not null;
alter table notification_deliveries drop constraint notification_deliveries_once;
create index notification_deliveries_notification on notification_deliveries (notification_id);
create index notification_deliveries_webhook on notification_deliveries (webhook_id, created_at desc, id desc)
	where webhook_id is not null;
update notification_deliveries set webhook_id = webhook_id_of(user_id) where channel = 'webhook';
