-- Rows of the index change in place: their pages keep room for a newer version of some rows.
alter table indexed_objects set (fillfactor = 85);
