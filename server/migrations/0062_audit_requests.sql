-- Entries of one request are looked up by its id. Those that are not sealed yet are few and read as a whole.
create index audit_log_request on audit_log using hash (request_id) where request_id <> '';
