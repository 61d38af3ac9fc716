import { execFileSync } from "node:child_process";
import { chmod, chown, lstat, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createHarness, runStatement, serverPid } from "../../../test/support/embedded-postgres.ts";
import { firstClosedFolder, isRoot } from "./account.ts";
import { locateBinaries, prepareBinaries } from "./binaries.ts";
import { closeFolder } from "./cluster.ts";
import { openLogFile } from "./logfile.ts";

const harness = createHarness();
afterEach(() => harness.clean());

/** Without a name in /etc/passwd. */
const stranger = { uid: 64321, gid: 64321 };
const nobody = { uid: 65534, gid: 65534 };
const strangerCanRead = (await firstClosedFolder(import.meta.dirname, { ...stranger, name: "" })) === undefined;

async function ownerOfServer(dataDir: string): Promise<number> {
	return (await stat(`/proc/${await serverPid(dataDir)}`)).uid;
}

describe("an embedded store", () => {
	it("starts on an absent folder and keeps its data until the next start", async () => {
		const dataDir = await harness.folder();
		const first = await harness.start(dataDir);
		await runStatement(first, "create table kept as select 42 as answer");
		await first.stop();
		expect(await serverPid(dataDir)).toBeUndefined();

		const second = await harness.start(dataDir);
		expect(await runStatement(second, "select answer from kept")).toEqual([{ answer: 42 }]);
		expect(second.log).toEqual([]);
	});

	it("is UTF-8 with checksums, durable, and without a TCP port", async () => {
		const store = await harness.start(await harness.folder());
		const [settings] = await runStatement(
			store,
			`select current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums,
				current_setting('fsync') as fsync, current_setting('listen_addresses') as addresses,
				(select datlocprovider::text || datlocale from pg_database where datname = current_database()) as locale`,
		);
		expect(settings).toEqual({ encoding: "UTF8", checksums: "on", fsync: "on", addresses: "", locale: "bC.UTF-8" });
	});

	it.each(["with space", "commas, 'quotes' and \"more\"", "ünïcode"])("lives in a folder named %s", async (name) => {
		const store = await harness.start(await harness.folder(name));
		expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
	});

	it("lives in a folder whose path is too long for a socket", async () => {
		const dataDir = await harness.folder(`${"deep/".repeat(30)}data`);
		const store = await harness.start(dataDir);
		const { host } = store.connection;
		expect(dirname(host)).toBe(await realpath(tmpdir()));
		expect((await stat(host)).mode & 0o777).toBe(0o700);
		await store.stop();

		const again = await harness.start(dataDir);
		expect(again.connection.host).toBe(host);
		await again.stop();
		await rm(host, { recursive: true });
	});

	it("starts on data whose mode a restore has opened to others, and closes it again", async () => {
		const dataDir = await harness.folder();
		await (await harness.start(dataDir)).stop();
		const data = join(dataDir, "postgres");
		for (const mode of [0o755, 0o2770]) {
			await chmod(data, mode);
			await (await harness.start(dataDir)).stop();
			expect((await stat(data)).mode & 0o777).toBe(0o700);
		}
	});

	it.runIf(process.platform === "linux")(
		"names the folder and the command where its mode cannot be changed",
		async () => {
			await expect(closeFolder("/proc/self/task")).rejects.toThrow(
				"the data folder /proc/self/task has mode 555, with which PostgreSQL refuses it, and its mode cannot be " +
					"changed (EPERM): run chmod 700 '/proc/self/task' as its owner",
			);
		},
	);

	it("ends once, however often it is stopped", async () => {
		const dataDir = await harness.folder();
		const store = await harness.start(dataDir);
		await Promise.all([store.stop(), store.stop()]);
		await store.stop();
		expect(await serverPid(dataDir)).toBeUndefined();
	});

	it("says with PostgreSQL's own last words why it does not start", async () => {
		const dataDir = await harness.folder();
		await (await harness.start(dataDir)).stop();
		await writeFile(join(dataDir, "postgres/postgresql.auto.conf"), "no_such_setting = 1\n");
		await expect(harness.start(dataDir)).rejects.toThrow(/does not start in .*\n.*no_such_setting/s);
	});

	it("names what is missing on a system without a package", () => {
		expect(() => locateBinaries("linux", "mips")).toThrow(
			/@embedded-postgres\/linux-mips is missing.*WEFT_DATABASE_URL/s,
		);
	});

	it("keeps the end of a log that grew too large", async () => {
		const path = join(dirname(await harness.folder()), "postgres.log");
		await writeFile(path, `${"an early line\n".repeat(400_000)}the last line\n`);
		const logFile = await openLogFile(path);
		expect(await logFile.tail()).toMatch(/^an early line\n.*the last line$/s);
		await logFile.close();
		expect((await stat(path)).size).toBeLessThan(300_000);
	});
});

describe("its programs", () => {
	async function copyOfPackage(name = "package"): Promise<string> {
		const copy = await harness.folder(name);
		execFileSync("cp", ["-R", "-P", dirname(locateBinaries()), copy]);
		await rm(join(copy, "native/lib/libpq.so.5"), { force: true });
		return join(copy, "native");
	}

	it.runIf(process.platform === "linux")("get the links that npm left out", async () => {
		const native = await copyOfPackage();
		const ready = await Promise.all([prepareBinaries(native, [], undefined), prepareBinaries(native, [], undefined)]);
		expect(ready).toEqual([native, native]);
		expect((await lstat(join(native, "lib/libpq.so.5"))).isSymbolicLink()).toBe(true);
	});

	it.runIf(isRoot())("are copied once when they lie in a closed folder", async () => {
		const native = await copyOfPackage();
		await chmod(dirname(native), 0o700);
		const place = dirname(await harness.folder());
		const account = { ...stranger, name: "stranger" };
		const ready = await Promise.all([1, 2, 3].map(() => prepareBinaries(native, [place], account)));
		expect(new Set(ready).size).toBe(1);
		expect(ready[0]?.startsWith(place)).toBe(true);

		const dataDir = await harness.folder();
		const store = await harness.start(dataDir, native);
		expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
	});

	it.each(['"new"', "$HOME", "back\\slash"])(
		"are run from elsewhere when they and the data lie in a folder named %s, which initdb cannot start from",
		async (name) => {
			const store = await harness.start(await harness.folder(name), await copyOfPackage(name));
			expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
		},
	);

	it.runIf(isRoot())("are not taken from a folder that somebody else prepared", async () => {
		const native = await copyOfPackage();
		await chmod(dirname(native), 0o700);
		const place = dirname(await harness.folder());
		const { version } = JSON.parse(await readFile(join(dirname(native), "package.json"), "utf8"));
		await mkdir(join(place, `weft-postgres-${version}`));
		await chown(join(place, `weft-postgres-${version}`), 64999, 64999);
		await expect(prepareBinaries(native, [place], { ...stranger, name: "stranger" })).rejects.toThrow(
			/belongs to someone else/,
		);
	});
});

describe.runIf(isRoot() && process.platform === "linux")("started by root", () => {
	it("runs as another user, and the data folder stays root's", async () => {
		const dataDir = await harness.folder();
		await harness.start(dataDir);
		expect(await ownerOfServer(dataDir)).not.toBe(0);
		expect((await stat(dataDir)).uid).toBe(0);
		const { uid, mode } = await stat(join(dataDir, "postgres"));
		expect({ uid, mode: mode & 0o777 }).toEqual({ uid: await ownerOfServer(dataDir), mode: 0o700 });
	});

	it("runs as the owner of the data folder, and of the existing data", async () => {
		const dataDir = await harness.folder();
		await mkdir(dataDir, { mode: 0o700 });
		await chown(dataDir, stranger.uid, stranger.gid);
		const store = await harness.start(dataDir);
		expect(await ownerOfServer(dataDir)).toBe(stranger.uid);
		await store.stop();

		await chown(dataDir, 0, 0);
		await harness.start(dataDir);
		expect(await ownerOfServer(dataDir)).toBe(stranger.uid);
	});

	it("takes data that root restored", async () => {
		const dataDir = await harness.folder();
		await (await harness.start(dataDir)).stop();
		execFileSync("chown", ["-R", "0:0", join(dataDir, "postgres")]);
		const store = await harness.start(dataDir);
		expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
	});

	it("lives below a folder that is closed to PostgreSQL's user", async () => {
		const dataDir = await harness.folder("closed/data");
		await mkdir(dirname(dataDir), { mode: 0o700 });
		const first = await harness.start(dataDir);
		await runStatement(first, "create table kept as select 42 as answer");
		await first.stop();

		const store = await harness.start(dataDir);
		// Both read files again by their full names.
		await runStatement(store, "alter system set work_mem = '7MB'");
		expect(await runStatement(store, "select pg_reload_conf() as reloaded")).toEqual([{ reloaded: true }]);
		const [files] = await runStatement(
			store,
			"select count(*)::int as errors from pg_file_settings where error like '%syntax%'",
		);
		expect(files).toEqual({ errors: 0 });
		expect(await runStatement(store, "select answer from kept")).toEqual([{ answer: 42 }]);
	});
});

describe.runIf(isRoot() && strangerCanRead && process.platform === "linux")("started by an ordinary user", () => {
	it("runs as that user", async () => {
		const dataDir = await harness.folder();
		await mkdir(dataDir);
		await chown(dataDir, nobody.uid, nobody.gid);
		const starter = harness.spawnStarter(dataDir, nobody);
		expect(await starter.result).toHaveProperty("up.host", join(dataDir, "postgres"));
		await starter.stop();
		expect((await stat(join(dataDir, "postgres"))).uid).toBe(nobody.uid);
	});

	it("says when PostgreSQL cannot do with a user that has no name", async () => {
		const dataDir = await harness.folder();
		await mkdir(dataDir);
		await chown(dataDir, stranger.uid, stranger.gid);
		const { failed } = await harness.spawnStarter(dataDir, stranger).result;
		expect(failed).toMatch(/uid 64321\) has no name on this system/);
	});

	it("refuses data of somebody else and a folder that it cannot write", async () => {
		const dataDir = await harness.folder();
		await mkdir(join(dataDir, "postgres"), { recursive: true });
		expect(await harness.spawnStarter(dataDir, stranger).result).toHaveProperty(
			"failed",
			expect.stringMatching(/cannot be made or written/),
		);
		await chown(dataDir, stranger.uid, stranger.gid);
		expect(await harness.spawnStarter(dataDir, stranger).result).toHaveProperty(
			"failed",
			expect.stringMatching(/belongs to root, and this process has no right to change user/),
		);
	});
});
