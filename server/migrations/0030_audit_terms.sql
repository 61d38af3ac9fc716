-- Which entries of the audit log have what many of them have: a bit for each entry, so that a frequent word, category or user is counted, alone
-- and with others, without reading entries. Filled behind the writers, from sealed blocks (docs/adr/0012-audit.md).

create table audit_index (
	id boolean primary key default true check (id),
	-- The last block whose entries are in it, and how many entries there were.
	block integer not null default 0,
	entries bigint not null default 0,
	-- Less than one step of sealed entries is missing: counts may rely on it.
	complete boolean not null default false
);
insert into audit_index default values;

-- The beginnings of words, and values of filters as `category=…`, that occurred often in one step at least.
create table audit_terms (
	term text collate "C" primary key,
	-- At least so many entries had it.
	entries bigint not null,
	-- Whether its bits are kept: then a segment without a row of it has no such entry.
	indexed boolean not null default false
);
create index audit_terms_indexed on audit_terms (term) where indexed;

-- 4096 ids each: segment n begins with id n * 4096.
create table audit_segments (
	segment integer primary key,
	-- Entries that are in the index and in the log.
	present bit(4096) not null,
	-- No entry in it is older or newer.
	oldest timestamptz not null,
	newest timestamptz not null
) with (fillfactor = 70);

create table audit_bits (
	term text collate "C" not null,
	segment integer not null,
	entries bit(4096) not null,
	primary key (term, segment)
) with (fillfactor = 70);

-- A bit string with the bits of these ids within their segment.
create function audit_bits_of(ids integer[]) returns bit(4096) immutable strict parallel safe language sql as $$
	select bit_or(set_bit(0::bit(4096), id % 4096, 1)) from unnest(ids) id
$$;

-- Whoever removes entries, also a node of the version before. Not while some are being put in.
create function audit_unindex() returns trigger language plpgsql as $$
begin
	perform from audit_index for share;
	update audit_segments s set present = s.present & ~gone.bits
		from (select id / 4096 as segment, audit_bits_of(array_agg(id)) as bits from removed group by 1) gone
		where s.segment = gone.segment;
	return null;
end $$;
create trigger audit_log_unindex after delete on audit_log referencing old table as removed
	for each statement execute function audit_unindex();
