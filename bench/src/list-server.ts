/**
 * For the benchmark `list`: the service, and in the same process a bare Fastify route with the same
 * SQL, pool and bytes. Prints its addresses as one line of JSON.
 */
import Fastify from "fastify";
import pg from "pg";
import { buildApp } from "../../server/dist/app.js";
import { ensureFirstUser } from "../../server/dist/areas/accounts/sign-in/create-local-users.js";
import { readConfig } from "../../server/dist/config.js";
import { openDependencies } from "../../server/dist/open.js";

const PATH = "/api/queries/saved-queries/";
const PASSWORD = "a password for benchmarks";
const QUERIES = 10_000;

const opened = await openDependencies(readConfig(process.env));
const app = await buildApp(opened.deps);
await app.declareQueues();
await ensureFirstUser(app.context, "admin", PASSWORD);
const service = await app.server.listen({ host: "127.0.0.1", port: 0 });

const callService = async (path: string, init: RequestInit = {}) => {
	const response = await fetch(service + path, init);
	const text = await response.text();
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
	return text;
};
const json = { "content-type": "application/json" };
const login = await callService("/api/auth/login/", {
	method: "POST",
	headers: json,
	body: JSON.stringify({ username: "admin", password: PASSWORD }),
});
const headers = { authorization: `Bearer ${JSON.parse(login).access}` };
for (let i = 0; i < QUERIES; i += 50) {
	await Promise.all(
		Array.from({ length: 50 }, (_, j) =>
			callService(PATH, {
				method: "POST",
				headers: { ...headers, ...json },
				body: JSON.stringify({
					name: `Query ${i + j}`,
					description: "Bridge domains of one tenant, as they are configured",
					tags_list: ["bench", "fabric"],
					flow_data: {
						nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvBD" } }],
						edges: [],
					},
				}),
			}),
		),
	);
}
await opened.deps.store.transaction(async (tx) => void tx.afterCommit(() => {}));

// What one request of the service asks the store.
interface Statement {
	text: string;
	values: unknown[];
}
const statements: Statement[] = [];
const original = pg.Client.prototype.query;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
	const [first, second] = args;
	const text = typeof first === "string" ? first : (first as { text?: string }).text;
	const values = (Array.isArray(second) ? second : (first as { values?: unknown[] }).values) ?? [];
	if (text?.includes("saved_queries")) statements.push({ text, values });
	return Reflect.apply(original, this, args);
} as typeof original;
const body = await callService(PATH, { headers });
pg.Client.prototype.query = original;

const { pool } = opened.deps.store as unknown as { pool: pg.Pool };
const bare = Fastify();
bare.get("/", async (_request, reply) => {
	for (const { text, values } of statements) await pool.query(text, values);
	return reply.header("content-type", "application/json; charset=utf-8").send(body);
});
const baseline = await bare.listen({ host: "127.0.0.1", port: 0 });
process.stdout.write(
	`${JSON.stringify({ service: service + PATH, baseline: `${baseline}/`, headers, statements: statements.length, bytes: body.length })}\n`,
);

process.on("SIGTERM", async () => {
	await bare.close();
	await app.close();
	await opened.close(0);
	process.exit(0);
});
