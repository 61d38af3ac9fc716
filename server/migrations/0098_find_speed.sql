-- Addresses and prefixes by their length: a prefix finds the widest that lie in it, without reading all of them.
create index object_terms_length on object_terms (masklen(net), net) where net is not null;
