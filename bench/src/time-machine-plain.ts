/**
 * The baseline of the Time Machine's benchmarks, a server in a process of its own: one JSONB document per snapshot, in the store of the service that
 * is measured, with code as one writes it first. Knows neither users nor rights. Prints its address.
 */
import { createHash, randomUUID } from "node:crypto";
import Fastify from "fastify";
import pg from "pg";
import { attachEmbeddedPostgres } from "../../server/dist/adapters/embedded-postgres/index.js";
import type { Document } from "./time-machine-data.ts";

const store = await attachEmbeddedPostgres({ dataDir: process.env.WEFT_DATA_DIR ?? "", log: () => {} });
const pool = new pg.Pool({ ...store.connection, ssl: false, max: 10 });
await pool.query(
	"create table plain_snapshots (id uuid primary key, at timestamptz not null default now(), position serial, hash text not null, document jsonb not null)",
);
const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });

const dnOf = (row: Document["imdata"][number]): string => row.fvAEPg.attributes.dn ?? "";
async function read(id: string): Promise<Document> {
	const { rows } = await pool.query("select document from plain_snapshots where id = $1", [id]);
	return rows[0].document as Document;
}

app.post<{ Body: { result_data: Document } }>("/capture/", async ({ body: { result_data: document } }) => {
	const rows = [...document.imdata].sort((a, b) => (dnOf(a) < dnOf(b) ? -1 : 1));
	const hash = createHash("sha256").update(JSON.stringify(rows)).digest("hex");
	await pool.query("select hash from plain_snapshots order by position desc limit 1");
	const id = randomUUID();
	await pool.query("insert into plain_snapshots (id, hash, document) values ($1, $2, $3)", [
		id,
		hash,
		JSON.stringify(document),
	]);
	return { snapshot_id: id };
});

app.get<{ Params: { id: string } }>("/snapshots/:id/", async ({ params: { id } }) => ({ result_data: await read(id) }));

app.post<{ Body: { snapshot_from_id: string; snapshot_to_id: string } }>("/compare/", async ({ body }) => {
	const byDn = (document: Document) => new Map(document.imdata.map((row) => [dnOf(row), row]));
	const [before, after] = [byDn(await read(body.snapshot_from_id)), byDn(await read(body.snapshot_to_id))];
	const modified: object[] = [];
	for (const [dn, now] of after) {
		const old = before.get(dn);
		if (old === undefined || JSON.stringify(old) === JSON.stringify(now)) continue;
		const [from, to] = [old.fvAEPg.attributes, now.fvAEPg.attributes];
		const keys = Object.keys({ ...from, ...to }).filter((key) => from[key] !== to[key]);
		const attribute_changes = keys.sort().map((key) => ({ key, old: from[key] ?? null, new: to[key] ?? null }));
		modified.push({ dn, before: old, after: now, attribute_changes });
	}
	const added = [...after].filter(([dn]) => !before.has(dn)).map(([dn, object]) => ({ dn, object }));
	const deleted = [...before].filter(([dn]) => !after.has(dn)).map(([dn, object]) => ({ dn, object }));
	return { diff: { added, deleted, modified } };
});

app.get<{ Querystring: { dn: string } }>("/timeline/", async ({ query: { dn } }) => {
	const { rows } = await pool.query(
		"select id, at, jsonb_path_query_first(document, '$.imdata[*].fvAEPg.attributes ? (@.dn == $dn)', $1) as attributes from (select * from plain_snapshots order by position desc limit 100) latest",
		[JSON.stringify({ dn })],
	);
	return { points: rows.reverse() };
});

/** Of the latest snapshot alone, as plain code has it; the service answers for all of the query's. */
app.get<{ Querystring: { q: string } }>("/dns/", async ({ query: { q } }) => {
	const { rows } = await pool.query("select document from plain_snapshots order by position desc limit 1");
	const wanted = q.toLowerCase();
	const dns = (rows[0].document as Document).imdata.map(dnOf).filter((dn) => dn.toLowerCase().includes(wanted));
	return { dns: dns.sort().slice(0, 50) };
});
/** The same in SQL. */
app.get<{ Querystring: { q: string } }>("/dns-sql/", async ({ query: { q } }) => {
	const { rows } = await pool.query(
		`select distinct e->'fvAEPg'->'attributes'->>'dn' as dn from
			(select document from plain_snapshots order by position desc limit 1) latest, jsonb_array_elements(latest.document->'imdata') e
		where e->'fvAEPg'->'attributes'->>'dn' ilike $1 order by 1 limit 50`,
		[`%${q}%`],
	);
	return { dns: rows };
});

/** Parses texts that it is given beforehand: what `npm run bench -- compare` is held against. */
const texts: string[] = [];
app.addContentTypeParser("text/plain", { parseAs: "string" }, (_request, body, done) => done(null, body));
app.post<{ Body: string }>("/texts/", async ({ body }) => ({ held: texts.push(body) }));
app.get<{ Querystring: { texts: string } }>("/parse/", async ({ query }) => ({
	parsed: texts.slice(0, Number(query.texts)).map((text) => Object.keys(JSON.parse(text))),
}));

process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
process.on("SIGTERM", async () => {
	await app.close();
	await pool.end();
	process.exit(0);
});
