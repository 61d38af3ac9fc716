/**
 * Backup of a service that runs, restore into a new folder and into another PostgreSQL, and
 * everything that a restore refuses.
 */
import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type RunningController, startController } from "@weft/lab";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { runAdminCommand } from "../support/admin.ts";
import { waitUntil } from "../support/harness.ts";
import {
	type RunningService,
	runBuiltProgram,
	type ServiceClient,
	startLocalService,
	startService,
} from "../support/process.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
type Json = any;

let lab: RunningController;
let folder: string;
let original: RunningService;
let file: string;
let before: Record<string, Json>;

/** Its standard error has the log too. */
async function runAdminProcess(dataDir: string, args: string[]) {
	const { ended, output } = runBuiltProgram("admin", dataDir, {}, args);
	return { code: await ended, ...output };
}

async function stopService(service: RunningService): Promise<void> {
	service.child.kill("SIGTERM");
	await service.ended;
}

/**
 * What users would miss: with the exact text of a snapshot, and a connection whose password can
 * still be opened.
 */
async function getState(service: ServiceClient): Promise<Record<string, Json>> {
	const get = async (path: string) => (await service.call("GET", path)).body as Json;
	const [query] = (await get("/api/queries/saved-queries/")).results;
	const { snapshots } = await get(`/api/time-machine/snapshots/?saved_query_id=${query.id}`);
	const [connection] = (await get("/api/controller/connections/")).results;
	const test = await service.call("POST", `/api/controller/connections/${connection.id}/test/`);
	return {
		queries: (await get("/api/queries/saved-queries/")).results.map((query: Json) => [
			query.id,
			query.name,
			query.version_string,
		]),
		snapshot: await get(`/api/time-machine/snapshots/${snapshots[0].id}/`),
		test: test.status,
		groups: (await get("/api/auth/groups/")).results.map((group: Json) => group.name),
	};
}

beforeAll(async () => {
	lab = await startController({ size: "small" });
	folder = await mkdtemp(join(tmpdir(), "weft backup "));
	file = join(folder, "one.weft.gz");
	original = await startService(join(folder, "original"));
	const post = async (path: string, body: unknown) => {
		const answer = await original.call("POST", path, body);
		expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
		return answer.body as Json;
	};
	const connection = await post("/api/controller/connections/", {
		name: "Fabric",
		url: lab.url,
		verify_ssl: false,
		username: lab.username,
		password: lab.password,
	});
	const query = await post("/api/queries/saved-queries/", {
		name: 'Tabs\tand "quotes", \\. and ü 🜁',
		enable_time_machine: true,
		flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
	});
	await post("/api/time-machine/capture/", {
		saved_query_id: query.id,
		controller_connection_id: connection.id,
		class_name: "fvTenant",
		result_data: { totalCount: "2", imdata: [createTenant("a\tb"), createTenant("\\.\n🜁")] },
	});
	before = await getState(original);
	expect(before.test).toBe(200);
});

afterAll(async () => {
	original.child.kill("SIGKILL");
	await original.ended;
	await (await startEmbeddedPostgres({ dataDir: join(folder, "original"), log: () => {} })).stop();
	await lab.close();
	await rm(folder, { recursive: true, force: true });
});

describe("a backup", () => {
	it("is written while the service runs, readable by nobody else, and replaces nothing", async () => {
		const done = await runAdminProcess(join(folder, "original"), ["backup", file]);
		expect(done).toMatchObject({ code: 0, stderr: "" });
		expect(done.stdout).toMatch(/^\d+ rows of \d+ tables are in .*one\.weft\.gz\. What opens/);
		expect((await stat(file)).mode & 0o777).toBe(0o600);
		expect((await stat(`${file}.key`)).mode & 0o777).toBe(0o600);
		const again = await runAdminCommand(join(folder, "original"), ["backup", file]);
		expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("exists already") });
		expect((await readFile(file)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
	});

	it("replaces no key either, and closes what it writes to other users", async () => {
		const other = join(folder, "other.weft.gz");
		await writeFile(`${other}.key`, "a key of another store");
		const refused = await runAdminCommand(join(folder, "original"), ["backup", other]);
		expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/\.key exists already/) });
		expect(await readFile(`${other}.key`, "utf8")).toBe("a key of another store");
		await rm(`${other}.key`);
		await writeFile(`${other}.part`, "", { mode: 0o644 });
		const begun = await runAdminCommand(join(folder, "original"), ["backup", other]);
		expect(begun).toMatchObject({ code: 1, stderr: expect.stringMatching(/\.part exists already/) });
	});

	it("is refused when it was changed, is without tables or with tables unknown or twice, or is not signed", async () => {
		const lines = gunzipSync(await readFile(file))
			.toString("utf8")
			.split("\n");
		const [head = "{}"] = lines;
		const header = JSON.parse(head);
		const end = JSON.stringify({ end: true, rows: {}, sequences: {} });
		const hmac = JSON.stringify({ hmac: "0".repeat(64) });
		const unsigned = JSON.stringify({ ...header, signed: false });
		const users = '{"table":"public.users","columns":["id"]}';
		const cases: [string, string[], RegExp, ...string[]][] = [
			["changed", lines.map((line) => line.replace("Tabs", "Taps")), /signature .* is wrong/],
			["unsigned", [unsigned, ...lines.slice(1)], /has no signature/],
			["empty", [unsigned, end, ""], /lacks the table/, "--unsigned"],
			["forged", [head, end, hmac, ""], /signature .* is wrong/],
			["unknown", [head, '{"table":"public.weft","columns":["id"]}', "\\.", end, hmac, ""], /does not know/],
			["twice", [head, users, "\\.", users, "\\.", end, hmac, ""], /twice/],
			["odd", ['{"format":"weft-backup"}', end, ""], /damaged or cut off/],
		];
		const dataDir = join(folder, "refusing");
		for (const [name, text, expected, ...options] of cases) {
			const wrong = join(folder, `${name}.gz`);
			await writeFile(wrong, gzipSync(text.join("\n")));
			await copyFile(`${file}.key`, `${wrong}.key`);
			const answer = await runAdminCommand(dataDir, ["restore", wrong, ...options]);
			expect([name, answer]).toEqual([name, { code: 1, stdout: "", stderr: expect.stringMatching(expected) }]);
			expect(answer.stderr.trimEnd().split("\n")).toHaveLength(1);
		}
		const older = join(folder, "unsigned.gz");
		expect(await runAdminCommand(dataDir, ["restore", older, "--unsigned"])).toMatchObject({ code: 0, stderr: "" });
	}, 120_000);

	it("comes back in a new folder as it was", async () => {
		const dataDir = join(folder, "restored");
		expect(await runAdminProcess(dataDir, ["restore", file])).toMatchObject({ code: 0, stderr: "" });
		const restored = await startLocalService(dataDir);
		expect(await getState(restored)).toEqual(before);
		// New rows do not collide with restored ones.
		const made = await restored.call("POST", "/api/queries/saved-queries/", {
			name: "After",
			flow_data: { nodes: [], edges: [] },
		});
		expect(made.status).toBe(201);
		await restored.stop("its state was compared");
	});

	it("moves to another PostgreSQL", async () => {
		const connection = inject("connection");
		const database = `weft_restore_${randomBytes(6).toString("hex")}`;
		const client = new pg.Client(connection);
		await client.connect();
		await client.query(`create database ${database}`);
		const key = (await readFile(`${file}.key`, "utf8")).trim().replaceAll("\n", ",");
		const environment = { WEFT_DATABASE_URL: getAddress(connection, database), WEFT_SECRET_KEY: key };
		const dataDir = join(folder, "unused");
		try {
			expect(
				await runAdminCommand(dataDir, ["restore", file], {
					...environment,
					WEFT_SECRET_KEY: "another key that is long enough",
				}),
			).toMatchObject({
				code: 1,
				stderr: expect.stringContaining("another key"),
			});
			expect(await runAdminCommand(dataDir, ["restore", file], environment)).toMatchObject({ code: 0, stderr: "" });
			const target = new pg.Client(getAddress(connection, database));
			await target.connect();
			const { rows } = await target.query("select count(*)::int as n, count(distinct id)::int as ids from audit_log");
			await target.end();
			expect(rows[0].n).toBeGreaterThan(0);
			expect(rows[0].ids).toBe(rows[0].n);
			const moved = await startLocalService(dataDir, environment);
			expect(await getState(moved)).toEqual(before);
			await moved.stop("its state was compared");
			expect(await runAdminCommand(dataDir, ["restore", file], environment)).toMatchObject({
				code: 1,
				stderr: expect.stringContaining("not empty"),
			});
		} finally {
			await client.query(`drop database ${database} with (force)`);
			await client.end();
		}
	});

	it("that is damaged, cut off or none is refused, and leaves the folder to the next try", async () => {
		const dataDir = join(folder, "tried");
		const cut = join(folder, "cut.gz");
		await copyFile(file, cut);
		await copyFile(`${file}.key`, `${cut}.key`);
		await truncate(cut, Math.floor((await stat(file)).size * 0.9));
		const none = join(folder, "none.gz");
		await writeFile(none, "not a backup at all, but a text that is long enough to look at");
		for (const wrong of [cut, none]) {
			expect(await runAdminCommand(dataDir, ["restore", wrong])).toMatchObject({
				code: 1,
				stderr: expect.stringMatching(/damaged or cut off/),
			});
		}
		expect(await runAdminCommand(dataDir, ["restore", join(folder, "absent.gz")])).toMatchObject({ code: 1 });
		expect(await runAdminCommand(dataDir, ["restore", file])).toMatchObject({ code: 0 });
	});

	it("a backup is not restored over the data of a service, running or stopped, which the doctor finds sound", async () => {
		const dataDir = join(folder, "original");
		expect(await runAdminCommand(dataDir, ["restore", file])).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/in use/),
		});
		await waitUntil("the doctor is content", async () => {
			const { code, stdout } = await runAdminCommand(dataDir, ["doctor"]);
			expect(stdout).toMatch(/^ok {4}The schema has all \d+ migrations$/m);
			return code === 0;
		});
		await stopService(original);
		expect(await runAdminCommand(dataDir, ["restore", file])).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/not empty/),
		});
		expect(await runAdminCommand(dataDir, ["doctor"])).toMatchObject({
			code: 0,
			stdout: expect.not.stringMatching(/^bad/m),
		});
	});
});

describe("the doctor", () => {
	it("says what is wrong and what to do", async () => {
		const dataDir = join(folder, "original");
		const { code, stdout } = await runAdminCommand(dataDir, ["doctor"], {
			WEFT_DATABASE_URL: "postgres://nobody:a-password@127.0.0.1:1/x",
			WEFT_SECRET_KEY: "sixteen characters",
			WEFT_REDIS_URL: "redis://127.0.0.1:1",
			WEFT_PROT: "1",
		});
		expect(code).toBe(1);
		expect(stdout).toMatch(/^bad {3}The store cannot be used: .*ECONNREFUSED/m);
		expect(stdout).toMatch(/^bad {3}Redis cannot be used/m);
		expect(stdout).toMatch(/^warn {2}WEFT_PROT is not a setting/m);
		expect(stdout).not.toContain("a-password");
	});
});

const createTenant = (name: string) => ({ fvTenant: { attributes: { dn: `uni/tn-${name}`, name } } });

function getAddress(connection: pg.ClientConfig, database: string): string {
	if (connection.connectionString) {
		const url = new URL(connection.connectionString);
		url.pathname = `/${database}`;
		return url.href;
	}
	const host = encodeURIComponent(String(connection.host));
	return `postgres://${connection.user}@localhost:${connection.port}/${database}?host=${host}`;
}
