-- The address of a webhook whose format is slack or teams is a secret: it is encrypted under
-- `webhooks:<id>:url`, and `url` has its origin only. Empty: `url` is the whole address. The service
-- encrypts addresses that are not yet encrypted.
alter table webhooks add column url_sealed text not null default '';
