-- Entries that are not sealed yet, in a table of their own: whoever changes something writes one row and nothing of what the log is searched
-- by. Sealing moves them into the log, a thousand at a time. As the log's child it is read wherever the log is.

-- To work out the words of a row that is inserted alone took as long as all of its indexes.
alter table audit_log alter column words drop expression;
alter table audit_log alter column words drop not null;
create function audit_add_words() returns trigger language plpgsql as $$
begin
	new.words := audit_words(new.description);
	return new;
end $$;
create trigger audit_log_words before insert on audit_log for each row execute function audit_add_words();

create table audit_unsealed () inherits (audit_log);
alter table audit_unsealed alter column id set default nextval(pg_get_serial_sequence('audit_log', 'id'));
alter table audit_unsealed add primary key (id);

-- Nothing but sealing takes entries out of it, and says so first, for one transaction.
create or replace function audit_append_only() returns trigger language plpgsql as $$
begin
	if tg_op = 'TRUNCATE'
		or current_setting(case tg_table_name when 'audit_unsealed' then 'weft.audit_sealing' else 'weft.audit_purge' end, true)
			is distinct from 'on'
		or (tg_table_name <> 'audit_blocks' and tg_op = 'UPDATE') or (tg_table_name = 'audit_blocks' and tg_op = 'DELETE')
	then
		raise exception '% of % is not allowed: the audit log is append-only', tg_op, tg_table_name
			using errcode = 'insufficient_privilege';
	end if;
	return case when tg_op = 'DELETE' then old else new end;
end $$;
create trigger audit_unsealed_append_only before update or delete on audit_unsealed
	for each row execute function audit_append_only();
create trigger audit_unsealed_no_truncate before truncate on audit_unsealed execute function audit_append_only();

-- What is moved into the log is sealed with that; what a node of the version before writes there waits in the queue.
create or replace function audit_enqueue() returns trigger language plpgsql as $$
begin
	if current_setting('weft.audit_sealing', true) is distinct from 'on' then
		insert into audit_pending select id from added;
	end if;
	return null;
end $$;

-- All entries, with their words.
create view audit_entries as
	select false as unsealed, id, category, action, user_id, username, ip_address, user_agent, description, target_type, target_id, metadata,
			content, content_compressed, content_size_bytes, request_id, created_at, words
		from only audit_log
	union all
	select true, id, category, action, user_id, username, ip_address, user_agent, description, target_type, target_id, metadata,
			content, content_compressed, content_size_bytes, request_id, created_at, audit_words(description)
		from audit_unsealed;

create view audit_waiting as select id from audit_pending union all select id from audit_unsealed;
