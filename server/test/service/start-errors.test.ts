/** A start that cannot succeed says which file or setting is the reason, and the remedy. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { Clock } from "../../src/core/ports/clock.ts";
import { systemClock } from "../../src/core/system/clock.ts";
import { startService } from "../../src/service.ts";
import { runAdminCommand } from "../support/admin.ts";
import { buildEnvironment, runBuiltProgram, startLocalService } from "../support/process.ts";

let dataDir: string;
let key: string;
const getKeyPath = () => join(dataDir, "secret.key");

beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "weft-start-"));
	const service = await startLocalService(dataDir);
	const connection = { name: "Fabric", url: "https://127.0.0.1:1", username: "u", password: "p" };
	expect(await service.call("POST", "/api/controller/connections/", connection)).toMatchObject({ status: 201 });
	await service.stop("the test has what it needs");
	key = await readFile(getKeyPath(), "utf8");
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** The line of a start that fails. */
async function readStartError(settings: Record<string, string> = {}, folder = dataDir): Promise<string> {
	const started = startLocalService(folder, settings).then((service) => service.stop("it must not start"));
	const error = await started.catch((thrown: Error) => thrown);
	expect(error).toBeInstanceOf(Error);
	return `${(error as Error).message}\n`;
}

/** The same of a process, which ends with 1. */
async function readProcessError(settings: Record<string, string>): Promise<string> {
	const { ended, output } = runBuiltProgram("main", dataDir, settings);
	expect(await ended, output.stdout).toBe(1);
	return output.stderr;
}

const runAdmin = (...args: string[]) => runAdminCommand(dataDir, args);

describe("the key of an existing store", () => {
	it("is not replaced where its file is missing", async () => {
		await rename(getKeyPath(), join(dataDir, "aside"));
		const said = await readStartError();
		expect(said).toContain(`The key file ${getKeyPath()} of the store in ${dataDir} is missing`);
		expect(said).toContain("npm run admin -- replace-key");
		expect(await runAdmin("create-user", "ada")).toMatchObject({ code: 1, stderr: said });
		expect(existsSync(getKeyPath())).toBe(false);
	});

	it.each([
		["cut", () => key.slice(0, 20), /is cut off/],
		["of four bytes", () => "abc\n", /is cut off/],
		["empty", () => "", /is empty/],
		["cut before a line break", () => `${key.slice(0, 30)}\n`, /is cut off, or it is that of another store/],
		["cut in its second line", () => `${key}${key.slice(0, 30)}`, /is cut off/],
	])("is not taken where it is %s", async (_name, text, problem) => {
		await writeFile(getKeyPath(), text());
		const said = await readStartError();
		expect(said).toMatch(problem);
		expect(said).toContain(getKeyPath());
		expect(said).toContain("npm run admin -- replace-key");
		expect(await readFile(getKeyPath(), "utf8")).toBe(text());
	});

	it("is named where a folder is in its place", async () => {
		await rm(getKeyPath());
		await mkdir(getKeyPath());
		const said = await readStartError();
		expect(said).toContain(`The key file ${getKeyPath()} is a folder`);
		expect(said).toContain("Remove the folder");
		await rm(getKeyPath(), { recursive: true });
	});

	it("is taken without its last line break, and replaced only where it is lost and a command says so", async () => {
		await writeFile(getKeyPath(), key.trim());
		expect(await runAdmin("replace-key")).toMatchObject({ code: 1, stderr: expect.stringContaining("rotate-key") });
		await (await startLocalService(dataDir)).stop("it has started");
		await writeFile(getKeyPath(), `${key.slice(0, 30)}\n`);
		expect(await runAdmin("create-user", "ada")).toMatchObject({ code: 1, stderr: expect.stringContaining("cut off") });
		expect(await runAdmin("replace-key")).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^There is a new key\. The audit log's chain goes on with a new key/),
		});
		expect(await readFile(getKeyPath(), "utf8")).not.toContain(key.slice(0, 30));
		await (await startLocalService(dataDir)).stop("it has started");
		expect(await runAdmin("audit-verify")).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/^Blocks? .*not verifiable: the key under which they were sealed is lost\.\n$/),
		});
		expect(await runAdmin("audit-renew-key")).toMatchObject({ code: 0, stdout: expect.stringContaining("and stays") });
	});
});

describe("a start", () => {
	it.skipIf(!existsSync("/proc/self"))("fails in a data folder below which nothing can be made", async () => {
		expect(await readStartError({}, "/proc/x")).toMatch(/data folder \/proc\/x cannot be made.*WEFT_DATA_DIR/);
		expect(await readStartError({}, "/proc/x/y")).toMatch(/data folder \/proc\/x\/y cannot be made.*WEFT_DATA_DIR/);
	});

	it("names the data folder that is a file, and the log that is a folder", async () => {
		const file = join(dataDir, "a file");
		await writeFile(file, "");
		expect(await readStartError({}, file)).toMatch(/data folder .*a file.* cannot be made.*WEFT_DATA_DIR/);
		const folder = join(dataDir, "another");
		await mkdir(join(folder, "postgres.log"), { recursive: true });
		expect(await readStartError({}, folder)).toContain(`log ${join(folder, "postgres.log")} cannot be written`);
	});

	it("names the setting of a port that is taken, and of a PostgreSQL that does not answer", async () => {
		const owner = createServer();
		await new Promise<void>((resolve) => owner.listen(0, "127.0.0.1", resolve));
		const { port } = owner.address() as AddressInfo;
		expect(await readProcessError({ WEFT_PORT: String(port) })).toMatch(/EADDRINUSE.*WEFT_PORT/);
		await new Promise((resolve) => owner.close(resolve));
		const nowhere = { WEFT_DATABASE_URL: "postgres://u:secret@127.0.0.1:1/x", WEFT_SECRET_KEY: "sixteen characters" };
		const said = await readProcessError(nowhere);
		expect(said).toMatch(/WEFT_DATABASE_URL cannot be used.*ECONNREFUSED/);
		expect(said).not.toContain("secret@");
	});

	it("stops all timers when its port is taken", async () => {
		const owner = createServer();
		await new Promise<void>((resolve) => owner.listen(0, "127.0.0.1", resolve));
		const { port } = owner.address() as AddressInfo;
		let [started, active] = [0, 0];
		const clock: Clock = {
			...systemClock,
			every(ms, tick) {
				const timer = systemClock.every(ms, tick);
				let isActive = true;
				started++;
				active++;
				return {
					stop() {
						timer.stop();
						if (isActive) active--;
						isActive = false;
					},
				};
			},
		};
		const config = readConfig(buildEnvironment(dataDir, { WEFT_PORT: String(port) }));
		await expect(startService(config, { clock })).rejects.toThrow("EADDRINUSE");
		await new Promise((resolve) => owner.close(resolve));
		expect(started).toBeGreaterThan(0);
		expect(active).toBe(0);
	});
});
