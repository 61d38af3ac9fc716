/**
 * Writes a year of a large fabric directly into the store. Secondary indexes and triggers are
 * dropped meanwhile, so the user must be a superuser. The result equals the service's, except for
 * the codes of the audit chain, which are random.
 */
import type pg from "pg";
import { measureTime, printFigure } from "../tools.ts";
import { BIG_TABLES, type BigTable, buildIdSql, CONNECTIONS, QUERIES, SHARES, TASKS, USERS } from "./tables.ts";

const STEP = 250_000;
const CANVAS = '{"nodes": [{"id": "a", "type": "classNode", "data": {"className": "fvTenant"}}], "edges": []}';

export type Connect = () => Promise<pg.Client>;

/** Whether the store holds a year already. */
export async function isFilled(client: pg.Client): Promise<boolean> {
	const { rows } = await client.query<{ there: boolean }>(
		"select to_regclass('snapshot_histories') is not null as there",
	);
	return rows[0]?.there === true && (await client.query("select 1 from snapshot_histories limit 1")).rows.length > 0;
}

/** @param rows of all big tables together */
export async function fillTables(connect: Connect, rows: number): Promise<void> {
	const client = await connect();
	try {
		const users = await insertUsers(client);
		const start = new Date(Date.now() - 365 * 86_400_000);
		await insertParentRows(client, users, start);
		const indexes = await takeIndexes(client);
		const [audit, ...others] = BIG_TABLES;
		// The audit log takes as long as all the others: its words are taken apart.
		const one = async (table: BigTable | undefined): Promise<void> => {
			if (table !== undefined)
				await insertBigTable(connect, table, Math.round((rows * table.share) / SHARES), start, users);
		};
		await Promise.all([
			one(audit),
			(async () => {
				for (const table of others) await one(table);
			})(),
		]);
		await client.query("set maintenance_work_mem = '512MB'");
		for (const { name, definition } of indexes) {
			const { ms } = await measureTime(() => client.query(definition));
			if (ms > 20_000) printFigure(`  index ${name}`, `${(ms / 1000).toFixed(0)} s`);
		}
		await fillDerivedTables(client);
	} finally {
		await client.end();
	}
}

async function insertUsers(client: pg.Client): Promise<number[]> {
	await client.query(
		`insert into users (username, username_key, email, date_joined)
			select 'person-' || g, 'person-' || g, 'person-' || g || '@example.com', now() from generate_series(1, $1::integer) g
			on conflict do nothing`,
		[USERS],
	);
	await client.query(`insert into user_groups (user_id, group_id)
		select u.id, g.id from users u join groups g on g.name in ('Users',
			'Operator') where u.username like 'person-%' on conflict do nothing`);
	const { rows } = await client.query<{ id: number }>(
		"select id from users where username like 'person-%' order by id limit $1",
		[USERS],
	);
	return rows.map((row) => row.id);
}

/** What the big tables' rows belong to. */
async function insertParentRows(client: pg.Client, users: readonly number[], start: Date): Promise<void> {
	const owner = `($1::integer[])[1 + (g - 1) % ${USERS}]`;
	await client.query(
		`insert into controller_connections (id, name, url, username, password_sealed, is_public, created_by, created_at, updated_at)
			select ${buildIdSql("002", "g")}, 'Fabric ' || g, 'https://fabric-' || g || '.example.com', 'weft', 'none', true,
				($1::integer[])[1], $2, $2
			from generate_series(1, ${CONNECTIONS}) g`,
		[users, start],
	);
	await client.query(
		`insert into saved_queries (id, owner_id, name, is_public, enable_time_machine, major_version, minor_version, created_at, updated_at)
			select ${buildIdSql("001", "g")}, ${owner}, 'query ' || g, g % 3 = 0, true, 1, 0, $2, $2 from generate_series(1, ${QUERIES}) g`,
		[users, start],
	);
	await client.query(
		`insert into saved_query_versions (query_id, major, minor, hash, changes, flow_data, post_processors, variables, created_at, created_by)
			select ${buildIdSql("001", "g")}, 1, 0, md5(g::text), '{}', $2::json, '[]', '[]', $1, 'admin' from generate_series(1, ${QUERIES}) g`,
		[start, CANVAS],
	);
	await client.query(
		`insert into scheduled_tasks (id, owner_id, name, saved_query_id, query_name, connection_ids, connection_names, frequency, minute_of_hour,
				timezone, status, email_on_success, email_on_failure, email_recipients, retry_enabled, retry_count, retry_interval_minutes,
				log_retention_days, created_at, updated_at)
			select ${buildIdSql("003", "g")}, ${owner}, 'task ' || g, ${buildIdSql("001", "g")}, 'query ' || g,
				array[${buildIdSql("002", `1 + g % ${CONNECTIONS}`)}],
				array['Fabric ' || 1 + g % ${CONNECTIONS}], 'hourly', 0, 'UTC', 'paused', false, false, '{}', false, 0, 5, 400, $2, $2
			from generate_series(1, ${TASKS}) g`,
		[users, start],
	);
	await client.query(
		`insert into snapshot_histories (id, key, saved_query_id)
			select ${buildIdSql("0b0", "g")}, md5(g::text), ${buildIdSql("001", "g")} from generate_series(1, ${TASKS}) g`,
	);
	await client.query(
		`insert into snapshot_segments (id, history_id, serial, next_version, next_entry, next_pack)
			select ${buildIdSql("0b1", "g")}, ${buildIdSql("0b0", "g")}, 0, 1, 1, 1 from generate_series(1, ${TASKS}) g`,
	);
}

/** Drops the indexes that no constraint needs; they are quicker to make in one go. */
async function takeIndexes(client: pg.Client): Promise<{ name: string; definition: string }[]> {
	const { rows } = await client.query<{ name: string; definition: string }>(
		`select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
			from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
			where t.relname = any($1) and t.relnamespace = 'public'::regnamespace
				and not exists (select from pg_constraint where conindid = i.indexrelid)`,
		[BIG_TABLES.map(({ name }) => name)],
	);
	for (const { name } of rows) await client.query(`drop index ${name}`);
	return rows;
}

async function insertBigTable(
	connect: Connect,
	{ name, insert }: BigTable,
	rows: number,
	start: Date,
	users: number[],
): Promise<void> {
	const client = await connect();
	try {
		await client.query("set synchronous_commit = off");
		// Neither triggers nor foreign keys: the rows fit together.
		await client.query("set session_replication_role = replica");
		const { ms } = await measureTime(async () => {
			for (let from = 1; from <= rows; from += STEP) {
				await client.query(insert, [from, Math.min(rows, from + STEP - 1), rows, start, users]);
			}
		});
		printFigure(`  ${name}: ${rows.toLocaleString("en")} rows`, `${(ms / 1000).toFixed(0)} s`);
	} finally {
		await client.end();
	}
}

/** Fills derived tables: counters, sealed blocks, counts by day; and the store's statistics. */
async function fillDerivedTables(client: pg.Client): Promise<void> {
	await client.query(`insert into notification_inboxes (user_id, total, unread)
		select user_id, count(*), count(*) filter (where read_at is null) from notifications where deleted_at is null group by user_id
		on conflict (user_id) do update set total = excluded.total, unread = excluded.unread`);
	await client.query(
		"update snapshot_histories h set snapshot_count = (select count(*) from snapshots s where s.history_id = h.id)",
	);
	await client.query(`insert into execution_log_counts
		select query_id, user_id, success, 0, count(*) from execution_logs group by 1, 2, 3`);
	await client.query(`insert into scheduled_execution_counts
		select task_id, connection_id, status, 0, count(*) from scheduled_executions group by 1, 2, 3`);
	await client.query(
		"update saved_queries q set execution_count = (select count(*) from execution_logs l where l.query_id = q.id)",
	);
	await client.query(`insert into audit_days (day, category, action, entries)
		select (created_at at time zone 'UTC')::date, category, action, count(*) from audit_log a
		where not exists (select from audit_pending p where p.id = a.id) group by 1, 2, 3
		on conflict (day, category, action) do update set entries = excluded.entries`);
	await client.query(`insert into audit_blocks (number, kind, day, groups, digest, mac, entry_ids, entry_groups, entry_hashes, sealed_at)
		select (select coalesce(max(number), 0) from audit_blocks) + row_number() over (order by day, part), 'entries', day,
			array_agg(distinct kept), sha256('x'), sha256('x'), array_agg(id order by id), array_agg(kept order by id),
			decode(repeat(md5(min(id)::text), 2 * count(*)::integer), 'hex'), now()
		from (
			select id, (created_at at time zone 'UTC')::date as day, row_number() over (order by id) / 1000 as part,
				case category when 'query_execution' then 'query' when 'query_management' then 'query' when 'task_management' then 'task_management'
					when 'settings_change' then 'settings' when 'mim_explorer' then 'mim' else category end as kept
			from audit_log a where not exists (select from audit_pending p where p.id = a.id)
		) entry group by day, part`);
	const { ms } = await measureTime(() => client.query("vacuum analyze"));
	printFigure("  vacuum analyze", `${(ms / 1000).toFixed(0)} s`);
}
