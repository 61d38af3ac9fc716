/**
 * Baseline of Time Machine benchmarks: one JSONB document per snapshot, without users and rights.
 */
import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import type { Document } from "./time-machine-data.ts";

const getDn = (row: Document["imdata"][number]): string => row.fvAEPg.attributes.dn ?? "";

export function createPlainStore(pool: Pick<pg.Pool, "query">) {
	async function readDocument(id: string): Promise<Document> {
		const { rows } = await pool.query("select document from plain_snapshots where id = $1", [id]);
		return rows[0].document as Document;
	}
	return {
		async create(): Promise<void> {
			await pool.query(
				"create table plain_snapshots (id uuid primary key, at timestamptz not null default now(), position serial, hash text not null, document jsonb not null)",
			);
		},

		async capture(document: Document): Promise<string> {
			const rows = [...document.imdata].sort((a, b) => (getDn(a) < getDn(b) ? -1 : 1));
			const hash = createHash("sha256").update(JSON.stringify(rows)).digest("hex");
			// This read is the cost of a duplicate check. No document of the benchmark repeats.
			await pool.query("select hash from plain_snapshots order by position desc limit 1");
			const id = randomUUID();
			await pool.query("insert into plain_snapshots (id, hash, document) values ($1, $2, $3)", [
				id,
				hash,
				JSON.stringify(document),
			]);
			return id;
		},

		read: readDocument,

		async compare(from: string, to: string) {
			const byDn = (document: Document) => new Map(document.imdata.map((row) => [getDn(row), row]));
			const [before, after] = [byDn(await readDocument(from)), byDn(await readDocument(to))];
			const modified: object[] = [];
			for (const [dn, now] of after) {
				const old = before.get(dn);
				if (old === undefined || JSON.stringify(old) === JSON.stringify(now)) continue;
				const [left, right] = [old.fvAEPg.attributes, now.fvAEPg.attributes];
				const keys = Object.keys({ ...left, ...right }).filter((key) => left[key] !== right[key]);
				const attribute_changes = keys.sort().map((key) => ({ key, old: left[key] ?? null, new: right[key] ?? null }));
				modified.push({ dn, before: old, after: now, attribute_changes });
			}
			const added = [...after].filter(([dn]) => !before.has(dn)).map(([dn, object]) => ({ dn, object }));
			const deleted = [...before].filter(([dn]) => !after.has(dn)).map(([dn, object]) => ({ dn, object }));
			return { added, deleted, modified };
		},

		/** The latest 100 points, oldest first. */
		async timeline(dn: string): Promise<object[]> {
			const { rows } = await pool.query(
				"select id, at, jsonb_path_query_first(document, '$.imdata[*].fvAEPg.attributes ? (@.dn == $dn)', $1) as attributes from (select * from plain_snapshots order by position desc limit 100) latest",
				[JSON.stringify({ dn })],
			);
			return rows.reverse();
		},

		/** DNs of the latest snapshot only; the service searches all snapshots of the query. */
		async dns(part: string): Promise<string[]> {
			const { rows } = await pool.query("select document from plain_snapshots order by position desc limit 1");
			const wanted = part.toLowerCase();
			const dns = (rows[0].document as Document).imdata.map(getDn).filter((dn) => dn.toLowerCase().includes(wanted));
			return dns.sort().slice(0, 50);
		},

		/** The same in SQL. */
		async dnsInSql(part: string): Promise<object[]> {
			const { rows } = await pool.query(
				`select distinct e->'fvAEPg'->'attributes'->>'dn' as dn from
					(select document from plain_snapshots order by position desc limit 1) latest, jsonb_array_elements(latest.document->'imdata') e
				where e->'fvAEPg'->'attributes'->>'dn' ilike $1 order by 1 limit 50`,
				[`%${part}%`],
			);
			return rows;
		},
	};
}
