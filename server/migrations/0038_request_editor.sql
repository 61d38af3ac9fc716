-- Who changed the request last: that user does not decide on it. Null: nobody but the requester has.
alter table automation_requests add column edited_by_id integer;
