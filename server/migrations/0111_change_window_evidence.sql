-- Results of Cisco's pre-upgrade validation script that are attached to change windows.

create table change_window_evidence (
	id uuid primary key,
	window_id uuid not null references change_windows on delete cascade,
	connection_id uuid not null,
	attached_at timestamptz not null,
	-- The user's name at that time.
	attached_by text not null,
	-- Attached after the window had opened.
	is_late boolean not null,
	-- Number of attached files.
	files integer not null,
	-- Digest of the files' digests: the same files are attached once.
	sha256 text not null,
	-- Bytes of the content as JSON text.
	bytes integer not null,
	-- Run, counts, notes and checks.
	content jsonb not null,
	unique (window_id, connection_id, sha256)
);
