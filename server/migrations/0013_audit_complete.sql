-- The audit log in full: search, filters, settings, append-only, and the chain that shows tampering (docs/adr/0012-audit.md).

-- Words of a text: whatever ASCII has besides letters and digits parts them, so that `uni/tn-prod` is three.
create function audit_words(text) returns tsvector immutable strict parallel safe language sql as $$
	select to_tsvector('simple'::regconfig,
		regexp_replace(left($1, 2000), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'))
$$;

-- What somebody searches for: every word must occur, or from three letters on begin one. Null without any word.
create function audit_search(text) returns tsquery immutable strict parallel safe language sql as $$
	select string_agg(quote_literal(lexeme) || case when length(lexeme) >= 3 then ':*' else '' end, ' & ')::tsquery
	from unnest(audit_words($1))
$$;

alter table audit_log add column words tsvector not null generated always as (audit_words(description)) stored;
create index audit_log_words on audit_log using gin (words);

-- Each filter with the order of the list, so that a page is read without sorting.
drop index audit_log_category;
drop index audit_log_user;
create index audit_log_category on audit_log (category, created_at desc, id desc);
create index audit_log_action on audit_log (action, created_at desc, id desc);
create index audit_log_user on audit_log (user_id, created_at desc, id desc);
create index audit_log_username on audit_log (lower(username), created_at desc, id desc);
create index audit_log_ip on audit_log (ip_address, created_at desc, id desc);
-- An action nearly always belongs to one category; the planner is to know.
create statistics audit_log_kinds (dependencies, mcv) on category, action from audit_log;

-- Entries that are in no block yet: written with them, taken when they are sealed.
create table audit_pending (id integer primary key);
insert into audit_pending select id from audit_log;
create function audit_enqueue() returns trigger language plpgsql as $$
begin
	insert into audit_pending select id from added;
	return null;
end $$;
create trigger audit_log_enqueue after insert on audit_log referencing new table as added
	for each statement execute function audit_enqueue();

-- The chain. `entries`: a block of entries of one day. `purge`: entries of the groups older than the day may be gone from here on.
create table audit_blocks (
	number integer primary key,
	kind text not null check (kind in ('entries', 'purge')),
	day date not null,
	groups text[] not null,
	-- SHA-256 over the three arrays below.
	digest bytea not null,
	-- HMAC-SHA256 over this block and the one before.
	mac bytea not null,
	-- Emptied once all of the block's entries were purged.
	entry_ids integer[] not null,
	entry_groups text[] not null,
	entry_hashes bytea not null,
	sealed_at timestamptz not null
);

create table audit_chain (
	id boolean primary key default true check (id),
	-- The key of the HMAC; encrypted under `audit_chain:key`. Empty until the first block.
	key_sealed text not null default '',
	-- Rises with each transaction that removes entries.
	purges integer not null default 0
);
insert into audit_chain default values;

-- How many sealed entries a day (UTC) has.
create table audit_days (
	day date not null,
	category text not null,
	action text not null,
	entries integer not null,
	primary key (day, category, action)
);

-- What differs from the defaults.
create table audit_settings (
	id boolean primary key default true check (id),
	settings jsonb not null default '{}'
);
insert into audit_settings default values;

-- The log only grows. Removing what is older than its retention says so first, for one transaction.
create function audit_append_only() returns trigger language plpgsql as $$
begin
	if tg_op = 'TRUNCATE' or current_setting('weft.audit_purge', true) is distinct from 'on'
		or (tg_table_name = 'audit_log' and tg_op = 'UPDATE') or (tg_table_name = 'audit_blocks' and tg_op = 'DELETE')
	then
		raise exception '% of % is not allowed: the audit log is append-only', tg_op, tg_table_name
			using errcode = 'insufficient_privilege';
	end if;
	return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger audit_log_append_only before update or delete on audit_log for each row execute function audit_append_only();
create trigger audit_log_no_truncate before truncate on audit_log execute function audit_append_only();
create trigger audit_blocks_append_only before update or delete on audit_blocks
	for each row execute function audit_append_only();
create trigger audit_blocks_no_truncate before truncate on audit_blocks execute function audit_append_only();

-- Attempts to sign in, by each filter.
drop index login_attempts_time;
create index login_attempts_time on login_attempts (attempted_at desc, id desc);
create index login_attempts_username on login_attempts (username_key, attempted_at desc, id desc);
create index login_attempts_ip on login_attempts (ip_address, attempted_at desc, id desc);
create index login_attempts_success on login_attempts (success, attempted_at desc, id desc);
