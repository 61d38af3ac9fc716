import { execFileSync } from "node:child_process";
import { chmod, chown, lstat, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import {
	createHarness,
	findOwnerOfServer,
	readServerPid,
	runStatement,
} from "../../../test/support/embedded-postgres.ts";
import { isRoot } from "./account.ts";
import { locateBinaries, prepareBinaries } from "./binaries.ts";
import { closeFolder } from "./cluster.ts";
import { openLogFile } from "./logfile.ts";

const harness = createHarness();
afterEach(() => harness.clean());

/** Without a name in /etc/passwd. */
const stranger = { uid: 64321, gid: 64321 };

describe("an embedded store", () => {
	it("starts on an absent folder and keeps its data until the next start", async () => {
		const dataDir = await harness.folder();
		const first = await harness.start(dataDir);
		await runStatement(first, "create table kept as select 42 as answer");
		await first.stop();
		expect(await readServerPid(dataDir)).toBeUndefined();

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
		expect(await readServerPid(dataDir)).toBeUndefined();
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
	async function copyPackage(name = "package"): Promise<string> {
		const copy = await harness.folder(name);
		execFileSync("cp", ["-R", "-P", dirname(locateBinaries()), copy]);
		await rm(join(copy, "native/lib/libpq.so.5"), { force: true });
		return join(copy, "native");
	}

	it.runIf(process.platform === "linux")("get the links that npm left out", async () => {
		const native = await copyPackage();
		const ready = await Promise.all([prepareBinaries(native, [], undefined), prepareBinaries(native, [], undefined)]);
		expect(ready).toEqual([native, native]);
		expect((await lstat(join(native, "lib/libpq.so.5"))).isSymbolicLink()).toBe(true);
	});

	it.runIf(isRoot())("refuse a folder that another user has prepared", async () => {
		const native = await copyPackage();
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
		expect(await findOwnerOfServer(dataDir)).not.toBe(0);
		expect((await stat(dataDir)).uid).toBe(0);
		const { uid, mode } = await stat(join(dataDir, "postgres"));
		expect({ uid, mode: mode & 0o777 }).toEqual({ uid: await findOwnerOfServer(dataDir), mode: 0o700 });
	});
});
