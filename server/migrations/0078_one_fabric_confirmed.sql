-- Administrators confirm that all addresses of a connection are one fabric, where its identity cannot be read.

alter table controller_connections add column is_one_fabric_confirmed boolean not null default false;
