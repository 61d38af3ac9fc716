/**
 * The service as a process: the ready line, one owner of a data folder, a clean end, recovery after
 * a kill, and the commands beside it.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { attachEmbeddedPostgres, startEmbeddedPostgres } from "../../src/adapters/embedded-postgres/index.ts";
import { runAdminCommand } from "../support/admin.ts";
import { TEST_PASSWORD, waitUntil } from "../support/harness.ts";
import { type RunningProcess, runBuiltProgram, startService } from "../support/process.ts";

const folders: string[] = [];
const processes: RunningProcess[] = [];

async function createFolder(): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), "weft test "));
	folders.push(path);
	return path;
}

async function launchService(dataDir: string, environment?: Record<string, string>) {
	const started = await startService(dataDir, environment);
	processes.push(started);
	return started;
}

afterEach(async () => {
	for (const { child, ended } of processes.splice(0)) {
		child.kill("SIGKILL");
		await ended;
	}
	for (const path of folders.splice(0)) {
		// A killed service leaves its PostgreSQL running for the next one; here there is none.
		const left = await startEmbeddedPostgres({ dataDir: path, log: () => {} });
		await left.stop();
		await rm(path, { recursive: true, force: true });
	}
});

describe("the service", () => {
	it("says in one line that it is ready, with the first user's password where it made one, and never again", async () => {
		const dataDir = await createFolder();
		const first = runBuiltProgram("main", dataDir, { WEFT_PORT: "0" });
		processes.push(first);
		await waitUntil("it is ready", () => first.output.stdout.includes("\n"));
		const line = /^Weft is ready at (http:\S+) - sign in as admin with the password (\S{22})\n$/.exec(
			first.output.stdout,
		);
		expect(line).not.toBeNull();
		const login = await fetch(`${line?.[1]}/api/auth/login/`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ username: "admin", password: line?.[2] }),
		});
		expect(login.status).toBe(200);
		expect(first.output.stderr).not.toContain(line?.[2]);
		expect((await stat(join(dataDir, "secret.key"))).mode & 0o777).toBe(0o600);
		first.child.kill("SIGTERM");
		expect(await first.ended).toBe(0);
		const second = runBuiltProgram("main", dataDir, { WEFT_PORT: "0" });
		processes.push(second);
		await waitUntil("it is ready again", () => second.output.stdout.includes("\n"));
		expect(second.output.stdout).toMatch(/^Weft is ready at http:\S+\n$/);
	});

	it.each([
		["makes the database", (dataDir: string) => readdirSync(dataDir).some((name) => name.startsWith("postgres.new-"))],
		["has started PostgreSQL", (dataDir: string) => existsSync(join(dataDir, "postgres/postmaster.pid"))],
	])("leaves no PostgreSQL when SIGTERM arrives while it %s", async (_moment, isReached) => {
		const dataDir = await createFolder();
		const starting = runBuiltProgram("main", dataDir, { WEFT_PORT: "0" });
		processes.push(starting);
		await waitUntil("the moment is there", () => isReached(dataDir));
		starting.child.kill("SIGTERM");
		expect([await starting.ended, starting.output.stderr]).toEqual([0, ""]);
		expect(starting.output.stdout).toBe("");
		expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false);
	});

	it("leaves no PostgreSQL of a command that SIGTERM ends", async () => {
		const dataDir = await createFolder();
		const made = await launchService(dataDir);
		made.child.kill("SIGTERM");
		await made.ended;
		const command = runBuiltProgram("admin", dataDir, {}, ["audit-verify"]);
		processes.push(command);
		const lockFile = join(dataDir, "postgres/postmaster.pid");
		await waitUntil("its PostgreSQL runs", () => existsSync(lockFile));
		command.child.kill("SIGTERM");
		await command.ended;
		expect(existsSync(lockFile)).toBe(false);
	});

	it("refuses wrong settings with all of them at once", async () => {
		const wrong = runBuiltProgram("main", join(tmpdir(), "weft-never-made"), {
			WEFT_PORT: "x",
			WEFT_ROLES: "y",
			WEFT_REDIS_URL: "z",
		});
		expect(await wrong.ended).toBe(1);
		for (const name of ["WEFT_PORT", "WEFT_ROLES", "WEFT_REDIS_URL"]) expect(wrong.output.stderr).toContain(name);
		expect(wrong.output.stdout).toBe("");
	});

	it("refuses a data folder that another process has, and leaves that one alone", async () => {
		const dataDir = await createFolder();
		const owner = await launchService(dataDir);
		const second = runBuiltProgram("main", dataDir, { WEFT_PORT: "0" });
		expect(await second.ended).toBe(1);
		expect(second.output.stderr).toContain(`in use by process ${owner.child.pid}`);
		expect((await owner.call("GET", "/api/auth/profile/")).status).toBe(200);
	});

	it("says which port is taken", async () => {
		const owner = await launchService(await createFolder());
		const second = runBuiltProgram("main", await createFolder(), { WEFT_PORT: new URL(owner.url).port });
		expect(await second.ended).toBe(1);
		expect(second.output.stderr).toMatch(/EADDRINUSE/);
	});

	it("finishes what runs when it is told to stop, then closes its store cleanly", async () => {
		const dataDir = await createFolder();
		const running = await launchService(dataDir);
		// Password hashing takes long enough for the signal to arrive in between.
		const logins = Array.from({ length: 8 }, () =>
			running.call("POST", "/api/auth/login/", { username: "admin", password: TEST_PASSWORD }),
		);
		running.child.kill("SIGTERM");
		const answers = await Promise.allSettled(logins);
		for (const answer of answers) {
			if (answer.status === "fulfilled") expect([200, 503]).toContain(answer.value.status);
		}
		expect(await running.ended).toBe(0);
		const attached = await attachEmbeddedPostgres({ dataDir, log: (line) => expect(line).not.toMatch(/takes over/) });
		await attached.stop();
	});

	it("recovers by itself after it was killed, with everything that was acknowledged", async () => {
		const dataDir = await createFolder();
		let running = await launchService(dataDir);
		for (let round = 0; round < 3; round++) {
			const changed = await running.call("PATCH", "/api/auth/profile/", { first_name: `Round ${round}` });
			expect(changed.status).toBe(200);
			running.child.kill("SIGKILL");
			await running.ended;
			running = await launchService(dataDir);
			expect((await running.call("GET", "/api/auth/profile/")).body).toMatchObject({ first_name: `Round ${round}` });
		}
	});
});

describe("commands", () => {
	it("that are misused end with 1 and one sentence", async () => {
		const dataDir = await createFolder();
		for (const [args, sentence] of [
			[["fly", "ada"], /^There is no command "fly": see --help\.\n$/],
			[[], /^There is no command "": see --help\.\n$/],
			[["audit-verify", "ada"], /^audit-verify takes no word after it, and got 1: see --help\.\n$/],
			[["unlock"], /^unlock takes one word after it, and got 0: see --help\.\n$/],
			[["unlock", "ada", "--superuser"], /^unlock has no option --superuser: see --help\.\n$/],
			[["unlock", "ada", "--nonsense"], /^Unknown option '--nonsense'[^\n]*\n$/],
			[["create-user", "eve", "--email", "nonsense"], /^"nonsense" is no email address\.\n$/],
			[["audit-verify", "--head", "xyz"], /^"xyz" is no code: [^\n]*\n$/],
		] as const) {
			const expected = { code: 1, stdout: "", stderr: expect.stringMatching(sentence) };
			expect(await runAdminCommand(dataDir, args)).toEqual(expected);
		}
	});

	it("that are misused end their process with 1", async () => {
		const { ended, output } = runBuiltProgram("admin", await createFolder(), {}, ["fly", "ada"]);
		expect([await ended, output]).toEqual([1, { stdout: "", stderr: 'There is no command "fly": see --help.\n' }]);
	});

	it("make and mend users, beside the service and without it", async () => {
		const dataDir = await createFolder();
		const running = await launchService(dataDir);
		const command = (...args: string[]) => runAdminCommand(dataDir, args, { WEFT_PASSWORD: "another fine password" });
		expect(await command("create-user", "ada", "--superuser")).toMatchObject({ code: 0, stdout: "ada was made.\n" });
		const login = () =>
			running.call("POST", "/api/auth/login/", { username: "ada", password: "another fine password" });
		expect((await login()).status).toBe(200);
		expect(await command("create-user", "ada")).toMatchObject({ code: 1, stderr: "There is a user ada already.\n" });
		expect(await command("unlock", "nobody")).toMatchObject({ code: 1, stderr: "There is no user nobody.\n" });
		for (let i = 0; i < 5; i++) await running.call("POST", "/api/auth/login/", { username: "ada", password: "wrong" });
		expect((await login()).status).toBe(429);
		expect((await command("unlock", "ada")).code).toBe(0);
		expect((await login()).status).toBe(200);
		const logged = await running.call("GET", "/api/audit/logs/?username=command%20line&ordering=created_at");
		expect(logged.body).toMatchObject({ results: [{ action: "cli_user_create" }, { action: "cli_user_unlock" }] });
		running.child.kill("SIGTERM");
		await running.ended;
		expect((await command("reset-password", "ada")).code).toBe(0);
		const verified = await command("audit-verify");
		expect(verified).toMatchObject({
			code: 0,
			stderr: "",
			stdout: expect.stringMatching(/\d+ entries in \d+ blocks are/),
		});
		const code = "ab".repeat(32);
		expect(await command("audit-verify", "--head", code)).toMatchObject({
			code: 1,
			stderr: `No block has the code ${code}: the end of the chain was cut off or replaced.\n`,
		});
	});
});
