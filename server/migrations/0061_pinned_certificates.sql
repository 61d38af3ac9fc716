-- SHA-256 fingerprints of certificates that a connection trusts without their issuer, with commas between them.
alter table controller_connections add column pinned_certificate text;
