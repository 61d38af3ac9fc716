/** Two web and two worker processes on one PostgreSQL and one Redis, behind nginx. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type WeftClient } from "@weft/sdk";
import { Redis } from "ioredis";
import pg from "pg";
import { Agent, fetch as undiciFetch } from "undici";
import { freePort } from "../support/free-port.ts";
import { TEST_PASSWORD, waitUntil } from "../support/harness.ts";
import { missing, type Nginx, startNginx } from "../support/nginx.ts";
import { type RunningProcess, runBuiltProgram } from "../support/process.ts";

const POSTGRES = process.env.WEFT_TEST_DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
/** A database number of its own: it is emptied, so that no count is left of the time before. */
const REDIS = new URL(process.env.WEFT_TEST_REDIS_URL ?? "redis://127.0.0.1:6379");
REDIS.pathname = "/7";

export interface Node extends RunningProcess {
	readonly role: "web" | "worker";
	/** Of a web node; kept when it is started again. */
	readonly port: number;
}

export interface Cluster {
	readonly nginx: Nginx;
	readonly pool: pg.Pool;
	readonly web: Node[];
	readonly workers: Node[];
	/** Signed in as the first user, through nginx unless a node is given. */
	client(node?: Node): Promise<WeftClient>;
	/** Starts another process in place of one that has ended. */
	replace(node: Node): Promise<Node>;
	start(role: Node["role"], environment?: Record<string, string>): Promise<Node>;
	stop(): Promise<void>;
}

/** These tests run on request only: a missing dependency is a failure. */
export async function startCluster(environment: Record<string, string> = {}): Promise<Cluster> {
	if (missing !== null) throw new Error(`The cluster tests need nginx and openssl: ${missing}.`);
	const database = `weft_cluster_${randomBytes(6).toString("hex")}`;
	const server = new pg.Client({ connectionString: POSTGRES });
	await server.connect().catch((error: Error) => {
		throw new Error(`The cluster tests need a PostgreSQL at WEFT_TEST_DATABASE_URL: ${error.message}`);
	});
	await server.query(`create database ${database}`);
	const cache = new Redis(REDIS.href, { lazyConnect: true, retryStrategy: () => null });
	await cache.connect().catch((error: Error) => {
		throw new Error(`The cluster tests need a Redis at WEFT_TEST_REDIS_URL: ${error.message}`);
	});
	await cache.flushdb();
	cache.disconnect();
	const address = new URL(POSTGRES);
	address.pathname = `/${database}`;
	const folder = await mkdtemp(join(tmpdir(), "weft-cluster-"));
	const nodes = new Set<Node>();
	const agent = new Agent({ connect: { rejectUnauthorized: false } });

	async function startNode(role: Node["role"], more: Record<string, string> = {}, at?: number): Promise<Node> {
		const port = role === "web" ? (at ?? (await freePort())) : 0;
		const node = {
			role,
			port,
			...runBuiltProgram("main", folder, {
				WEFT_ROLES: role,
				WEFT_PORT: String(port),
				WEFT_DATABASE_URL: address.href,
				WEFT_REDIS_URL: REDIS.href,
				WEFT_SECRET_KEY: "one key for the whole cluster",
				WEFT_ADMIN_PASSWORD: TEST_PASSWORD,
				// Each request leaves a line, by which a test sees which node had it.
				WEFT_LOG_LEVEL: "info",
				WEFT_DATABASE_POOL: "8",
				...environment,
				...more,
			}),
		};
		nodes.add(node);
		await waitUntil(`${role} is ready`, () => {
			if (node.child.exitCode !== null) throw new Error(`A ${role} node ended: ${node.output.stderr}`);
			return node.output.stdout.includes("ready");
		});
		return node;
	}

	const web = [await startNode("web"), await startNode("web")];
	const workers = [await startNode("worker"), await startNode("worker")];
	const nginx = await startNginx(web.map(({ port }) => `127.0.0.1:${port}`));
	const pool = new pg.Pool({ connectionString: address.href, max: 2 });
	return {
		nginx,
		pool,
		web,
		workers,
		start: startNode,
		async client(node) {
			const client = createClient({
				baseUrl: node === undefined ? nginx.url : `http://127.0.0.1:${node.port}`,
				fetch: ((input: string, init?: object) => undiciFetch(input, { ...init, dispatcher: agent })) as typeof fetch,
			});
			await client.signIn("admin", TEST_PASSWORD);
			return client;
		},
		async replace(node) {
			await node.ended;
			nodes.delete(node);
			const next = await startNode(node.role, {}, node.port);
			const list = node.role === "web" ? web : workers;
			list.splice(list.indexOf(node), 1, next);
			return next;
		},
		async stop() {
			await nginx.stop();
			for (const { child, ended } of nodes) {
				child.kill("SIGTERM");
				await ended;
			}
			await agent.close();
			await pool.end();
			await server.query(`drop database ${database} with (force)`);
			await server.end();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
