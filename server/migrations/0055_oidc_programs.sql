-- Sign-ins of programs on the user's computer (RFC 8252). Null: sign-ins of the web interface.

-- Where the callback leads to, with the code: an address of the loopback interface.
alter table oidc_states add column redirect_uri text;
-- SHA-256 of the verifier that the exchange must have, as base64url (RFC 7636).
alter table oidc_states add column code_challenge text;
alter table oidc_codes add column code_challenge text;
