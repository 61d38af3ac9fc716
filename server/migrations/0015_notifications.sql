-- Notifications: counters and frames per user, preferences, outgoing webhooks, and what is delivered by mail and webhook.

-- One row per user who was ever told anything. Whatever changes a user's notifications takes its lock first, so that counters
-- are exact and frames are numbered in the order in which their transactions commit.
create table notification_inboxes (
	user_id integer primary key references users on delete cascade,
	-- Not deleted; and of those, not read.
	total integer not null default 0,
	unread integer not null default 0,
	last_frame bigint not null default 0,
	-- The instant that the last daily email was due at: what was to go into it and came too late goes into the next one.
	digest_due_at timestamptz
);
insert into notification_inboxes (user_id, total, unread)
select user_id, count(*), count(*) filter (where read_at is null) from notifications where deleted_at is null group by user_id;

-- What open sockets are told; kept for a day.
create table notification_frames (
	user_id integer not null references users on delete cascade,
	seq bigint not null,
	type text not null check (type in ('notification_created', 'notification_read', 'notification_deleted')),
	notification_id uuid not null,
	created_at timestamptz not null,
	primary key (user_id, seq)
);
create index notification_frames_time on notification_frames (created_at);

create table notification_preferences (
	user_id integer primary key references users on delete cascade,
	in_app_enabled boolean not null,
	email_enabled boolean not null,
	-- {category: {in_app, email}}
	categories jsonb not null,
	-- Times of day in the user's zone as HH:MM; both or none.
	quiet_hours_start text,
	quiet_hours_end text,
	digest_enabled boolean not null,
	check ((quiet_hours_start is null) = (quiet_hours_end is null))
);

create table notification_webhooks (
	user_id integer primary key references users on delete cascade,
	enabled boolean not null,
	url text not null,
	-- Encrypted under the context `notification_webhooks:<user_id>:secret`; empty where none was given.
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

-- One row for each way besides the list on which a user is told of a notification.
create table notification_deliveries (
	id uuid primary key,
	notification_id uuid not null references notifications on delete cascade,
	user_id integer not null references users on delete cascade,
	channel text not null check (channel in ('email', 'digest', 'webhook')),
	state text not null check (state in ('pending', 'delivered', 'failed', 'cancelled')),
	attempts integer not null default 0,
	-- When the next attempt may be made.
	due_at timestamptz not null,
	-- When somebody looks whether a background job is at hand, should the one that was enqueued be lost.
	look_at timestamptz not null,
	-- The email that several go into.
	digest_id uuid,
	response_status integer,
	error text not null default '',
	created_at timestamptz not null,
	finished_at timestamptz,
	constraint notification_deliveries_once unique (notification_id, channel)
);
create index notification_deliveries_due on notification_deliveries (look_at) where state = 'pending';
create index notification_deliveries_user on notification_deliveries (user_id, created_at desc, id desc);
create index notification_deliveries_digest on notification_deliveries (digest_id) where digest_id is not null and state = 'pending';
create index notification_deliveries_finished on notification_deliveries (finished_at) where finished_at is not null;

-- A list of one category, and the newest failures, without a walk over all the others.
create index notifications_category on notifications (user_id, category, created_at desc, id desc) where deleted_at is null;
create index notifications_severity on notifications (user_id, severity, created_at desc, id desc) where deleted_at is null;
