-- PostgreSQL takes a function in SQL apart anew for each row that is inserted alone, where one in PL/pgSQL stays compiled: it was a quarter of
-- what an entry costs. What it answers is the same.
create or replace function audit_words(text) returns tsvector immutable strict parallel safe language plpgsql as $$
begin
	return to_tsvector('simple'::regconfig,
		regexp_replace(left($1, 2000), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'));
end $$;
