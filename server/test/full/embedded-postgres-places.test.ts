/** The embedded store in folders of any name and mode, below closed ones, and of other users. */
import { execFileSync } from "node:child_process";
import { chmod, chown, mkdir, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { findFirstClosedFolder, isRoot } from "../../src/storage/embedded-postgres/account.ts";
import { locateBinaries, prepareBinaries } from "../../src/storage/embedded-postgres/binaries.ts";
import { createHarness, findOwnerOfServer, runStatement } from "../support/embedded-postgres.ts";

const harness = createHarness();
afterEach(() => harness.clean());

/** Without a name in /etc/passwd. */
const stranger = { uid: 64321, gid: 64321 };
const nobody = { uid: 65534, gid: 65534 };
const strangerCanRead = (await findFirstClosedFolder(import.meta.dirname, { ...stranger, name: "" })) === undefined;

describe("an embedded store", () => {
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
});

describe("its programs", () => {
	async function copyPackage(name = "package"): Promise<string> {
		const copy = await harness.folder(name);
		execFileSync("cp", ["-R", "-P", dirname(locateBinaries()), copy]);
		await rm(join(copy, "native/lib/libpq.so.5"), { force: true });
		return join(copy, "native");
	}

	it.runIf(isRoot())("are copied once when they lie in a closed folder", async () => {
		const native = await copyPackage();
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
			const store = await harness.start(await harness.folder(name), await copyPackage(name));
			expect(await runStatement(store, "select 1 as one")).toEqual([{ one: 1 }]);
		},
	);
});

describe.runIf(isRoot() && process.platform === "linux")("started by root", () => {
	it("runs as the owner of the data folder, and of the existing data", async () => {
		const dataDir = await harness.folder();
		await mkdir(dataDir, { mode: 0o700 });
		await chown(dataDir, stranger.uid, stranger.gid);
		const store = await harness.start(dataDir);
		expect(await findOwnerOfServer(dataDir)).toBe(stranger.uid);
		await store.stop();

		await chown(dataDir, 0, 0);
		await harness.start(dataDir);
		expect(await findOwnerOfServer(dataDir)).toBe(stranger.uid);
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

	it("refuses a data folder of another user and one that it cannot write to", async () => {
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
