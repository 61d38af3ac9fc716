-- Trigrams of parts with letters for the signs between words, as trigrams have none: "prod-3/cep" finds no "prod-1/cep-3".
-- Building the three took one minute with 1,000,000 objects and 3,400,000 terms.
drop index object_terms_part;
create index object_terms_part_signs on object_terms using gin (translate(term, '/-[]:._ ', 'qzjjxwvk') gin_trgm_ops);
drop index indexed_objects_dn_part;
create index indexed_objects_dn_signs on indexed_objects
	using gin (translate(lower(dn), '/-[]:._ ', 'qzjjxwvk') gin_trgm_ops);
-- DNs inside of DNs. All DNs begin with the same words, so these would be searched for in every row.
create index indexed_objects_dn_inner on indexed_objects
	using gin (substring(lower(dn) from '.((uni|topology)/.*)') gin_trgm_ops)
	where substring(lower(dn) from '.((uni|topology)/.*)') is not null;
