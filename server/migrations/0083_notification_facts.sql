-- The facts of a notification for bodies of webhooks: event, actor, and the objects with their status before and after.
-- Null: written by the previous version.

alter table notifications add column facts jsonb;
