/**
 * The service as a process: the ready line, one owner of a data folder, a clean end, recovery after
 * a kill, and the commands beside it.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { attachEmbeddedPostgres, startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { runAdminCommand } from "../support/admin.ts";
import { TEST_PASSWORD, waitUntil } from "../support/harness.ts";
import { type RunningProcess, type RunningService, runBuiltProgram, startService } from "../support/process.ts";

/** The folder of programs that end before they look at it. */
const NEVER_MADE = join(tmpdir(), "weft-never-made");
const folders: string[] = [];
const processes: RunningProcess[] = [];

async function createFolder(): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), "weft test "));
	folders.push(path);
	return path;
}

function runProcess(...args: Parameters<typeof runBuiltProgram>): RunningProcess {
	const started = runBuiltProgram(...args);
	processes.push(started);
	return started;
}

async function launchService(dataDir: string) {
	const started = await startService(dataDir);
	processes.push(started);
	return started;
}

async function cleanUp(): Promise<void> {
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
}

/** One folder, from its first start to a clean end: a start costs more than all requests. */
describe("a service and its data folder", () => {
	const password = "another fine password";
	let dataDir: string;
	let running: RunningService;
	beforeAll(async () => {
		dataDir = await createFolder();
	});
	afterAll(cleanUp);

	const login = (username = "ada") => running.call("POST", "/api/auth/login/", { username, password });
	const runCommand = (...args: string[]) => runAdminCommand(dataDir, args, { WEFT_PASSWORD: password });

	it("say in one line that they are ready, with the first user's password", async () => {
		const first = runProcess("main", dataDir, { WEFT_PORT: "0" });
		await waitUntil("it is ready", () => first.output.stdout.includes("\n"));
		const line = /^Weft is ready at (http:\S+) - sign in as admin with the password (\S{22})\n$/.exec(
			first.output.stdout,
		);
		expect(line).not.toBeNull();
		const answer = await fetch(`${line?.[1]}/api/auth/login/`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ username: "admin", password: line?.[2] }),
		});
		expect(answer.status).toBe(200);
		expect(first.output.stderr).not.toContain(line?.[2]);
		expect((await stat(join(dataDir, "secret.key"))).mode & 0o777).toBe(0o600);
		first.child.kill("SIGTERM");
		expect(await first.ended).toBe(0);
	});

	it("leave no PostgreSQL of a command that SIGTERM ends", async () => {
		const command = runProcess("admin", dataDir, {}, ["audit-verify"]);
		const lockFile = join(dataDir, "postgres/postmaster.pid");
		await waitUntil("its PostgreSQL runs", () => existsSync(lockFile));
		command.child.kill("SIGTERM");
		await command.ended;
		expect(existsSync(lockFile)).toBe(false);
	});

	it("let commands make users, also while no service runs", async () => {
		expect(await runCommand("create-user", "admin2", "--superuser")).toMatchObject({ code: 0 });
		expect(await runAdminCommand(dataDir, ["reset-password", "admin"], { WEFT_PASSWORD: TEST_PASSWORD })).toMatchObject(
			{
				code: 0,
			},
		);
		running = await launchService(dataDir);
		expect((await login("admin2")).status).toBe(200);
	});

	it("print no password at a later start", () => {
		expect(running.output.stdout).toMatch(/^Weft is ready at http:\S+\n$/);
	});

	it("are left alone by another process, which is refused", async () => {
		const second = runProcess("main", dataDir, { WEFT_PORT: "0" });
		expect(await second.ended).toBe(1);
		expect(second.output.stderr).toContain(`in use by process ${running.child.pid}`);
		expect((await running.call("GET", "/api/auth/profile/")).status).toBe(200);
	});

	it("let commands make and mend users beside the service", async () => {
		expect(await runCommand("create-user", "ada", "--superuser")).toMatchObject({ code: 0, stdout: "ada was made.\n" });
		expect((await login()).status).toBe(200);
		expect(await runCommand("create-user", "ada")).toMatchObject({ code: 1, stderr: "There is a user ada already.\n" });
		expect(await runCommand("unlock", "nobody")).toMatchObject({ code: 1, stderr: "There is no user nobody.\n" });
		for (let i = 0; i < 5; i++) await running.call("POST", "/api/auth/login/", { username: "ada", password: "wrong" });
		expect((await login()).status).toBe(429);
		expect((await runCommand("unlock", "ada")).code).toBe(0);
		expect((await login()).status).toBe(200);
		const logged = await running.ask("GET", "/api/audit/logs/?username=command%20line&ordering=created_at");
		expect(logged.results.map(({ action }: { action: string }) => action)).toEqual([
			"cli_user_create",
			"cli_password_reset",
			"cli_user_create",
			"cli_user_unlock",
		]);
	});

	it("recover without help after a kill, with everything that was acknowledged", async () => {
		const changed = await running.call("PATCH", "/api/auth/profile/", { first_name: "Before the kill" });
		expect(changed.status).toBe(200);
		running.child.kill("SIGKILL");
		await running.ended;
		running = await launchService(dataDir);
		expect((await running.call("GET", "/api/auth/profile/")).body).toMatchObject({ first_name: "Before the kill" });
	});

	it("finish what runs when SIGTERM arrives, then close the store cleanly", async () => {
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

	it("let a command verify the audit log, and name a code that no block has", async () => {
		expect(await runCommand("audit-verify")).toMatchObject({
			code: 0,
			stderr: "",
			stdout: expect.stringMatching(/\d+ entries in \d+ blocks are/),
		});
		const code = "ab".repeat(32);
		expect(await runCommand("audit-verify", "--head", code)).toMatchObject({
			code: 1,
			stderr: `No block has the code ${code}: the end of the chain was cut off or replaced.\n`,
		});
	});
});

describe("the start of a service", () => {
	afterEach(cleanUp);

	it.each([
		["makes the database", (dataDir: string) => readdirSync(dataDir).some((name) => name.startsWith("postgres.new-"))],
		["has started PostgreSQL", (dataDir: string) => existsSync(join(dataDir, "postgres/postmaster.pid"))],
	])("leaves no PostgreSQL when SIGTERM arrives while it %s", async (_moment, isReached) => {
		const dataDir = await createFolder();
		const starting = runProcess("main", dataDir, { WEFT_PORT: "0" });
		await waitUntil("the moment is there", () => isReached(dataDir));
		starting.child.kill("SIGTERM");
		expect([await starting.ended, starting.output.stderr]).toEqual([0, ""]);
		expect(starting.output.stdout).toBe("");
		expect(existsSync(join(dataDir, "postgres/postmaster.pid"))).toBe(false);
	});

	it("refuses wrong settings with all of them at once", async () => {
		const wrong = runBuiltProgram("main", NEVER_MADE, {
			WEFT_PORT: "x",
			WEFT_ROLES: "y",
			WEFT_REDIS_URL: "z",
		});
		expect(await wrong.ended).toBe(1);
		for (const name of ["WEFT_PORT", "WEFT_ROLES", "WEFT_REDIS_URL"]) expect(wrong.output.stderr).toContain(name);
		expect(wrong.output.stdout).toBe("");
	});
});

describe("commands", () => {
	it("that are misused end with 1 and one sentence", async () => {
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
			expect(await runAdminCommand(NEVER_MADE, args)).toEqual(expected);
		}
	});

	it("that are misused end their process with 1", async () => {
		const { ended, output } = runBuiltProgram("admin", NEVER_MADE, {}, ["fly", "ada"]);
		expect([await ended, output]).toEqual([1, { stdout: "", stderr: 'There is no command "fly": see --help.\n' }]);
	});
});
