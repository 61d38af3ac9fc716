-- One object: its newest changes in order, and objects of its name on other connections.

drop index object_changes_object;
create index object_changes_object on object_changes (connection_id, hashtextextended(dn, 0), at desc, id desc);

-- Digest of the DN with `*` for numbers of nodes and pods; null where the DN has none.
alter table indexed_objects add column name_key uuid;
update indexed_objects set name_key = encode(substring(sha256(convert_to(regexp_replace(dn,
		'(^|[/["])(node-|paths-|pod-|protpaths-)(\[[0-9]+\]|[0-9]+(-[0-9]+)*)(?=[]/"]|$)', '\1\2*', 'g'), 'UTF8')) for 16),
		'hex')::uuid
	where dn ~ '(^|[/["])(node-|paths-|pod-|protpaths-)(\[[0-9]+\]|[0-9]+(-[0-9]+)*)([]/"]|$)';
create index indexed_objects_name on indexed_objects (name_key) where name_key is not null;
