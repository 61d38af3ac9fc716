import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
	createHarness,
	killServer,
	readServerPid,
	runStatement,
	waitForCondition,
} from "../support/embedded-postgres.ts";

const harness = createHarness();
afterEach(() => harness.clean());

async function startStarter(dataDir: string) {
	const starter = harness.spawnStarter(dataDir);
	const { up, failed } = await starter.result;
	if (!up) throw new Error(failed);
	return { ...starter, connection: up };
}

describe("a data folder", () => {
	it("is refused to a second process, which learns whose it is", async () => {
		const dataDir = await harness.folder();
		const owner = await startStarter(dataDir);
		await expect(harness.start(dataDir)).rejects.toThrow(`${dataDir} is in use by process ${owner.pid}`);
		expect(await runStatement(owner, "select 1 as one")).toEqual([{ one: 1 }]);
		await owner.stop();
		expect(await readServerPid(dataDir)).toBeUndefined();
	});

	it.each(["absent", "existing"])("goes to one of several racing starters when it is %s", async (state) => {
		const dataDir = await harness.folder();
		if (state === "existing") await (await harness.start(dataDir)).stop();
		const starters = [1, 2, 3].map(() => harness.spawnStarter(dataDir));
		const results = await Promise.all(starters.map((starter) => starter.result));
		expect(results.filter(({ up }) => up)).toHaveLength(1);
		for (const { failed } of results) if (failed) expect(failed).toMatch(/is in use by process/);

		await starters[results.findIndex(({ up }) => up)]?.stop();
		expect(await readServerPid(dataDir)).toBeUndefined();
		expect((await readdir(dataDir)).filter((name) => name.includes(".new-"))).toEqual([]);
	});

	it("is taken over with its server when the owner was killed", async () => {
		const dataDir = await harness.folder();
		const owner = await startStarter(dataDir);
		await runStatement(owner, "create table kept as select 42 as answer");
		const pid = await readServerPid(dataDir);
		await owner.kill();

		const store = await harness.start(dataDir);
		expect(await readServerPid(dataDir)).toBe(pid);
		expect(store.log).toEqual([expect.stringContaining(`takes over PostgreSQL (process ${pid})`)]);
		expect(await runStatement(store, "select answer from kept")).toEqual([{ answer: 42 }]);
		await store.stop();
		expect(await readServerPid(dataDir)).toBeUndefined();
	});

	it("recovers when owner and server were killed", async () => {
		const dataDir = await harness.folder();
		const owner = await startStarter(dataDir);
		await runStatement(owner, "create table kept as select 42 as answer");
		await Promise.all([owner.kill(), killServer(dataDir)]);

		const store = await harness.start(dataDir);
		expect(await runStatement(store, "select answer from kept")).toEqual([{ answer: 42 }]);
	});

	it("waits while sessions of a killed server hold its socket, and is refused when they stay", async () => {
		const dataDir = await harness.folder();
		const owner = await startStarter(dataDir);
		await Promise.all([owner.kill(), killServer(dataDir)]);
		const path = join(owner.connection.host, ".s.PGSQL.5432");
		const listen = async () => {
			await rm(path, { force: true });
			const orphan = createServer((socket) => socket.destroy()).listen(path);
			await once(orphan, "listening");
			return orphan;
		};

		const staying = await listen();
		await expect(harness.start(dataDir)).rejects.toThrow("whose process cannot be seen from here");
		staying.close();

		const leaving = await listen();
		const starting = harness.start(dataDir);
		await once(leaving, "connection");
		leaving.close();
		expect(await runStatement(await starting, "select 1 as one")).toEqual([{ one: 1 }]);
	});

	it("recovers when its lock files name a process of the same user that is something else", async () => {
		const dataDir = await harness.folder();
		const owner = await startStarter(dataDir);
		await Promise.all([owner.kill(), killServer(dataDir)]);
		const { uid, gid } = await stat(join(dataDir, "postgres"));
		const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
			uid,
			gid,
			cwd: "/",
			stdio: "ignore",
		});
		try {
			for (const name of ["postmaster.pid", ".s.PGSQL.5432.lock"]) {
				const path = join(dataDir, "postgres", name);
				await writeFile(path, (await readFile(path, "utf8")).replace(/^\d+/, String(other.pid)));
			}
			const store = await harness.start(dataDir);
			expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
			await store.stop();
			expect(other.exitCode ?? other.signalCode).toBeNull();
		} finally {
			other.kill();
			await once(other, "exit");
		}
	});

	it("recovers when a crash of the machine left an empty lock file", async () => {
		const dataDir = await harness.folder();
		await (await harness.start(dataDir)).stop();
		await writeFile(join(dataDir, "postgres/postmaster.pid"), "");
		const store = await harness.start(dataDir);
		expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
	});

	it("is made anew beside a half-made one, and drafts are removed", async () => {
		const dataDir = await harness.folder();
		for (const name of ["postgres", "postgres.new-x"]) {
			await mkdir(join(dataDir, name), { recursive: true });
			await writeFile(join(dataDir, name, "PG_VERSION"), "18\n");
		}
		const store = await harness.start(dataDir);
		expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
		const names = (await readdir(dataDir)).filter((name) => name.startsWith("postgres."));
		expect(names).toEqual([expect.stringMatching(/^postgres\.incomplete-/), "postgres.log"]);
	});

	it("is made anew when the first start was killed in the middle", async () => {
		const dataDir = await harness.folder();
		const starter = harness.spawnStarter(dataDir);
		starter.result.catch(() => undefined);
		const names = () => readdir(dataDir).catch((): string[] => []);
		await waitForCondition(async () => (await names()).some((name) => name.includes(".new-")));
		await starter.kill();

		const store = await harness.start(dataDir);
		expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
	});

	it("is waited for while its owner stops", async () => {
		const dataDir = await harness.folder();
		const first = await harness.start(dataDir);
		const [, second] = await Promise.all([first.stop(), harness.start(dataDir)]);
		expect(await runStatement(second, "select 1 as one")).toEqual([{ one: 1 }]);
	});
});

describe("the server", () => {
	it("is reported when it ends by itself", async () => {
		const dataDir = await harness.folder();
		const store = await harness.start(dataDir);
		const pid = await readServerPid(dataDir);
		await killServer(dataDir);
		expect(await store.exited).toContain(`PostgreSQL (process ${pid}) ended by itself`);
		await store.stop();
	});

	it("stays owned when the crash of a session makes it end all of them", async () => {
		const dataDir = await harness.folder();
		const store = await harness.start(dataDir);
		const owners = () =>
			runStatement(store, "select pid from pg_locks where locktype = 'advisory'").catch(
				(): Record<string, unknown>[] => [],
			);
		const [before] = await owners();
		process.kill(Number(before?.pid), "SIGKILL");
		await waitForCondition(async () => {
			const [now] = await owners();
			return now !== undefined && now.pid !== before?.pid;
		});
		await expect(harness.start(dataDir)).rejects.toThrow(`in use by process ${process.pid}`);
	});

	it.runIf(process.platform === "linux")("is not in the terminal's process group", async () => {
		const dataDir = await harness.folder();
		await harness.start(dataDir);
		const pid = await readServerPid(dataDir);
		const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(" ");
		expect(Number(fields[4])).toBe(pid);
	});
});
