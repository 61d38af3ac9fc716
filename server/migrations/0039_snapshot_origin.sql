-- Where a snapshot's result came from: a run of the service, or a client's own request. Earlier snapshots do not tell; they
-- count as runs, as they did.
alter table snapshots add column origin text not null default 'run';
