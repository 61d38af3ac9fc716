/**
 * A node of the previous version works beside one of this version on this schema: a rolling
 * upgrade. The previous version is the newest commit with other migrations, or the last commit.
 */
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const WORKSPACES = ["contracts", "sdk", "lab", "server"];
const CANVAS = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
const FOLDER = "server/migrations";

const runGit = (...args: string[]): string =>
	execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** Names and contents of the migrations of a commit, a line each. */
const listMigrations = (commit: string): string[] => runGit("ls-tree", "-r", commit, "--", FOLDER).split("\n");

/**
 * Null where there is no history: in a copy without one, or with its last commit only. A commit
 * with a draft of a migration that reads otherwise now was never a version.
 */
function findCommitBefore(): string | null {
	try {
		if (runGit("status", "--porcelain", "--", FOLDER) !== "") return runGit("rev-parse", "HEAD");
		const present = new Set(listMigrations("HEAD"));
		const changes = runGit("log", "--first-parent", "--format=%H", "--", FOLDER).split("\n");
		for (const change of changes) {
			const before = runGit("rev-parse", "--verify", `${change}^`);
			const migrations = listMigrations(before);
			if (migrations.length > 1 && migrations.every((line) => present.has(line))) return before;
		}
		return runGit("rev-parse", "--verify", "HEAD^");
	} catch {
		return null;
	}
}

/** The server of a commit, compiled; with the packages of this version unless it wants others. */
async function buildServer(commit: string, folder: string): Promise<string> {
	const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 2 ** 30 });
	execFileSync("tar", ["-x", "-C", folder], { input: archive });
	const lock = (at: string) => readFile(join(at, "package-lock.json"), "utf8");
	if ((await lock(root)) === (await lock(folder))) await linkPackages(folder);
	else execFileSync("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--silent"], { cwd: folder });
	const compiler = join(root, "node_modules/typescript/bin/tsc");
	execFileSync(process.execPath, [compiler, "-b", "server"], { cwd: folder, stdio: "inherit" });
	return join(folder, "server/dist");
}

/** Links to every package but the workspaces: those must be the commit's own. */
async function linkPackages(folder: string): Promise<void> {
	const from = join(root, "node_modules");
	const to = join(folder, "node_modules");
	await mkdir(join(to, "@weft"), { recursive: true });
	for (const name of await readdir(from)) if (name !== "@weft") await symlink(join(from, name), join(to, name));
	for (const name of WORKSPACES) await symlink(join(folder, name), join(to, "@weft", name));
}

const commit = findCommitBefore();
if (commit === null)
	process.stderr.write("the upgrade test is skipped: there is no history to take a version before from\n");

describe.skipIf(commit === null)("the version before, beside this one", () => {
	let folder: string;
	let lab: RunningController;
	let store: EmbeddedPostgres;
	let now: RunningService;
	let before: RunningService;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "weft-upgrade-"));
		lab = await startController({ size: "small" });
		store = await startEmbeddedPostgres({ dataDir: join(folder, "store"), log: () => {} });
		const { host, port, user, database } = store.connection;
		const settings = {
			WEFT_DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
			WEFT_SECRET_KEY: "one key for both versions",
			WEFT_DATABASE_POOL: "6",
		};
		const source = join(folder, "source");
		await mkdir(source);
		const dist = await buildServer(commit as string, source);
		// The new one brings the schema up to date; the old one is as good as running already.
		now = await startService(join(folder, "data"), settings);
		before = await startService(join(folder, "data"), settings, dist);
	}, 240_000);

	afterAll(async () => {
		for (const service of [before, now]) {
			service?.child.kill("SIGTERM");
			await service?.ended;
		}
		await store?.stop();
		await lab?.close();
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	}, 60_000);

	// biome-ignore lint/suspicious/noExplicitAny: the journey says what it expects of it
	async function callService(service: RunningService, method: string, path: string, body?: unknown): Promise<any> {
		const answer = await service.call(method, path, body);
		expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
		return answer.body;
	}

	/** Each step on one of the two, and what it made read on the other. */
	async function runJourney(one: RunningService, other: RunningService, name: string): Promise<void> {
		const { url, username, password } = lab;
		const connection = await callService(one, "POST", "/api/controller/connections/", {
			name,
			url,
			username,
			password,
			verify_ssl: false,
		});
		const query = await callService(one, "POST", "/api/queries/saved-queries/", {
			name,
			flow_data: CANVAS,
			enable_time_machine: true,
		});
		const job = await callService(other, "POST", "/api/queries/pipeline-executions/", {
			flow_data: CANVAS,
			controller_connection_id: connection.id,
			saved_query_id: query.id,
		});
		const done = await waitUntil("the run has ended", async () => {
			const found = await callService(one, "GET", `/api/queries/pipeline-executions/${job.id}/`);
			return ["completed", "failed", "cancelled"].includes(found.status) && found;
		});
		expect(done).toMatchObject({ status: "completed", failed_stages: 0 });
		const imdata = await callService(one, "GET", `/api/queries/pipeline-executions/${job.id}/results/?export=json`);
		const kept = await callService(one, "POST", "/api/time-machine/capture/", {
			result_data: { imdata },
			saved_query_id: query.id,
			controller_connection_id: connection.id,
		});
		const read = await callService(other, "GET", `/api/time-machine/snapshots/${kept.snapshot_id}/`);
		expect(read.result_data).toEqual({ imdata });
		const task = await callService(one, "POST", "/api/queries/scheduled-tasks/", {
			name,
			saved_query: query.id,
			controller_connection_ids: [connection.id],
			frequency: "daily",
			time_of_day: "00:00",
		});
		await callService(other, "POST", `/api/queries/scheduled-tasks/${task.id}/execute_now/`);
		await waitUntil("the task has run", async () => {
			const { results } = await callService(one, "GET", `/api/queries/scheduled-executions/?task_id=${task.id}`);
			return results[0]?.status === "success";
		});
		for (const service of [one, other]) {
			for (const path of LISTS)
				expect((await callService(service, "GET", path)).results.length, path).toBeGreaterThan(0);
		}
	}

	const LISTS = [
		...["/api/queries/saved-queries/", "/api/controller/connections/", "/api/queries/pipeline-executions/"],
		...[
			"/api/queries/scheduled-tasks/",
			"/api/queries/scheduled-executions/",
			"/api/audit/logs/",
			"/api/auth/management/",
		],
	];

	it("works on the schema of this one", () => runJourney(before, before, "before alone"));
	it("reads what this one writes, and runs its runs", () => runJourney(now, before, "written by this one"));
	it("writes what this one reads", () => runJourney(before, now, "written by the one before"));
});
