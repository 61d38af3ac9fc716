/**
 * An import and real processes: killed in the middle, taken up by another one, and its model on
 * every node at once.
 */
import { type RunningModelSource, startModelSource } from "@weft/lab";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { createHarness } from "../support/embedded-postgres.ts";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

let site: RunningModelSource;
const harness = createHarness();
const services: RunningService[] = [];
const clients: pg.Client[] = [];
beforeAll(async () => {
	site = await startModelSource({ classes: 500, dnFormats: 500 });
});
afterEach(async () => {
	site.clearFaults();
	for (const service of services.splice(0)) {
		service.child.kill("SIGKILL");
		await service.ended;
	}
	for (const client of clients.splice(0)) await client.end();
	await harness.clean();
});
afterAll(() => site.close());

const buildSettings = () => ({ WEFT_MODEL_SOURCE_URL: site.url });

interface Run {
	state: string;
	phase: string;
	total_classes: number;
	completed_count: number;
	not_found_count: number;
	failed_count: number;
	error_summary: string;
}

async function startNode(dataDir: string, more: Record<string, string> = {}): Promise<RunningService> {
	const service = await startService(dataDir, { ...buildSettings(), ...more });
	services.push(service);
	return service;
}

async function killNode(service: RunningService): Promise<void> {
	service.child.kill("SIGKILL");
	await service.ended;
	services.splice(services.indexOf(service), 1);
}

async function installModel(service: RunningService): Promise<string> {
	const { status, body } = await service.call("POST", "/api/mim-registry/remote/install/", {
		version_key: "611",
		concurrency: 4,
	});
	expect(status, JSON.stringify(body)).toBe(202);
	return (body as { run_id: string }).run_id;
}

async function readRun(service: RunningService, id: string): Promise<Run> {
	const { body } = await service.call("GET", `/api/mim-registry/remote/runs/${id}/`);
	return (body as { run: Run }).run;
}

const waitForImport = (service: RunningService, id: string) =>
	waitUntil(
		"the import is complete",
		async () => {
			const run = await readRun(service, id);
			expect(run.state, run.error_summary).not.toBe("failed");
			return run.state === "completed" ? run : null;
		},
		90_000,
	);
const readStats = async (service: RunningService) =>
	(await service.call("GET", "/api/mim/stats/")).body as { total_classes: number };
const countPublished = () => new Set(["611", "601", "521"].flatMap((key) => site.published(key))).size;

it("goes on by itself after its process was killed, more than once, and loses and repeats nothing", async () => {
	const dataDir = await harness.folder();
	site.setFaults({ latency: { ms: 25 } });
	let service = await startNode(dataDir);
	const id = await installModel(service);
	for (const share of [0.2, 0.6]) {
		const before = await waitUntil(
			"a part of the classes is there",
			async () => {
				const run = await readRun(service, id);
				return run.completed_count > countPublished() * share ? run : null;
			},
			90_000,
		);
		expect(before.state).toBe("running");
		await killNode(service);
		service = await startNode(dataDir);
		expect((await readRun(service, id)).completed_count).toBeGreaterThanOrEqual(before.completed_count);
		// Nobody asks it to: it is taken up as soon as the dead process's hold on it has run out.
	}
	site.clearFaults();
	const run = await waitForImport(service, id);
	expect(run).toMatchObject({ failed_count: 0, completed_count: countPublished() });
	expect(run.total_classes).toBe(run.completed_count + run.not_found_count);
	await waitUntil("the model is loaded", async () => (await readStats(service)).total_classes === countPublished());
	for (const name of site.published("611").slice(0, 40)) {
		const { status, body } = await service.call("GET", `/api/mim/explorer/class/${name}/`);
		expect([status, (body as { name: string }).name]).toEqual([200, name]);
	}

	// A start with a model installed has it at hand.
	await killNode(service);
	service = await startNode(dataDir);
	expect((await readStats(service)).total_classes).toBe(countPublished());
}, 240_000);

it("is one run over many nodes: the one that lives goes on, and all of them switch", async () => {
	const database = await emptyDatabase();
	const shared = {
		WEFT_DATABASE_URL: database,
		WEFT_SECRET_KEY: "a secret key that only tests use, for every process",
	};
	const [folderA, folderB] = [await harness.folder(), await harness.folder()];
	const first = await startNode(folderA, shared);
	const second = await startNode(folderB, shared);
	site.setFaults({ latency: { ms: 25 } });
	const id = await installModel(first);
	const again = await second.call("POST", "/api/mim-registry/remote/install/", { version_key: "521" });
	expect([again.status, (again.body as { run_id: string }).run_id]).toEqual([409, id]);
	await waitUntil(
		"some classes are there",
		async () => (await readRun(second, id)).completed_count > countPublished() * 0.1,
		90_000,
	);
	// Whichever of the two has it: the other one goes on.
	const holder = await findHolder(database, id);
	expect(holder).not.toBeNull();
	await killNode(first);
	site.clearFaults();
	const run = await waitForImport(second, id);
	expect(run).toMatchObject({ failed_count: 0, completed_count: countPublished() });
	const third = await startNode(await harness.folder(), { ...shared, WEFT_ROLES: "web" });
	expect((await readStats(third)).total_classes).toBe(countPublished());
	await waitUntil("the second node has it", async () => (await readStats(second)).total_classes === countPublished());

	// Another version, and back: both nodes follow, and neither ever shows a model that is neither.
	const counts = new Set<number>();
	let watching = true;
	const watch = (async () => {
		while (watching) for (const node of [second, third]) counts.add((await readStats(node)).total_classes);
	})();
	const older = await third.call("POST", "/api/mim-registry/remote/install/", { version_key: "521", concurrency: 10 });
	await waitForImport(third, (older.body as { run_id: string }).run_id);
	const small = site.published("521").length;
	for (const node of [second, third])
		await waitUntil("the older version is loaded", async () => (await readStats(node)).total_classes === small);
	expect((await second.call("POST", `/api/mim-registry/remote/runs/${id}/activate/`)).status).toBe(200);
	for (const node of [second, third])
		await waitUntil("the newer one is back", async () => (await readStats(node)).total_classes === countPublished());
	watching = false;
	await watch;
	expect([...counts].sort((a, b) => a - b)).toEqual([small, countPublished()].sort((a, b) => a - b));
}, 240_000);

async function emptyDatabase(): Promise<string> {
	const connection = inject("connection");
	const name = `weft_nodes_${process.pid}_${Math.random().toString(36).slice(2)}`;
	const admin = new pg.Client(connection);
	await admin.connect();
	await admin.query(`create database ${name}`);
	clients.push({
		async end() {
			await admin.query(`drop database if exists ${name} with (force)`);
			await admin.end();
		},
	} as pg.Client);
	if (connection.connectionString) {
		const url = new URL(connection.connectionString);
		url.pathname = `/${name}`;
		return url.href;
	}
	// A socket's folder stands in the options of an address, and counts before the host.
	const { host = "", user = "", password, port } = connection;
	const secret = typeof password === "string" ? `:${encodeURIComponent(password)}` : "";
	return `postgresql://${encodeURIComponent(user)}${secret}@localhost/${name}?host=${encodeURIComponent(host)}${port ? `&port=${port}` : ""}`;
}

async function findHolder(database: string, id: string): Promise<string | null> {
	const client = new pg.Client({ connectionString: database });
	await client.connect();
	const { rows } = await client
		.query("select lease_token from model_import_runs where id = $1", [id])
		.finally(() => client.end());
	return rows[0]?.lease_token ?? null;
}
