-- The first block that carries the chain's key: those before it carry a key that is lost.
alter table audit_chain add column first_block bigint not null default 1;
