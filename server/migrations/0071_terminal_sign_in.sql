-- The program's address of a sign-in that waits for a click in the browser. Null: the code can be
-- exchanged. A node of the previous version reads no such row without the request's secret.
alter table oidc_codes add column redirect_uri text;
