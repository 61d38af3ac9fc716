/** The plain Time Machine baseline as a server process on the same store. Prints its address. */
import Fastify from "fastify";
import pg from "pg";
import { attachEmbeddedPostgres } from "../../server/dist/storage/embedded-postgres/index.js";
import type { Document } from "./time-machine-data.ts";
import { createPlainStore } from "./time-machine-plain-store.js";

const store = await attachEmbeddedPostgres({ dataDir: process.env.WEFT_DATA_DIR ?? "", log: () => {} });
const pool = new pg.Pool({ ...store.connection, ssl: false, max: 10 });
const plain = createPlainStore(pool);
await plain.create();
const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });

app.post<{ Body: { result_data: Document } }>("/capture/", async ({ body }) => ({
	snapshot_id: await plain.capture(body.result_data),
}));
app.get<{ Params: { id: string } }>("/snapshots/:id/", async ({ params: { id } }) => ({
	result_data: await plain.read(id),
}));
app.post<{ Body: { snapshot_from_id: string; snapshot_to_id: string } }>("/compare/", async ({ body }) => ({
	diff: await plain.compare(body.snapshot_from_id, body.snapshot_to_id),
}));
app.get<{ Querystring: { dn: string } }>("/timeline/", async ({ query }) => ({
	points: await plain.timeline(query.dn),
}));
app.get<{ Querystring: { q: string } }>("/dns/", async ({ query }) => ({ dns: await plain.dns(query.q) }));

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
