/** Signing in and out, profiles, and concurrent use of one file of credentials. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { TEST_PASSWORD, type TestUser, waitUntil } from "../../server/test/support/harness.ts";
import { BIN, signIn, useCli } from "./support/cli.ts";

/** Runs programs on a terminal. */
const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) process.stderr.write("questions on a terminal: skipped, script is not installed\n");

const cli = useCli();
const getCredentialsPath = () => join(cli.home, "weft/credentials.json");
/** The sessions of the command line. */
const listSessions = async ({ api }: TestUser): Promise<unknown[]> => {
	const { body } = await api.get("/api/auth/sessions/");
	return body.filter(({ user_agent }: { user_agent: string }) => user_agent.startsWith("weft-cli/"));
};
const readStoredProfiles = async () => JSON.parse(await readFile(getCredentialsPath(), "utf8")).profiles;

describe("weft login", () => {
	it("stores tokens and no password, for the user alone", async () => {
		expect((await stat(getCredentialsPath())).mode & 0o777).toBe(0o600);
		const text = await readFile(getCredentialsPath(), "utf8");
		expect(text).not.toContain(TEST_PASSWORD);
		expect((await readStoredProfiles()).default).toEqual({
			url: cli.url,
			username: "ada",
			access: expect.any(String),
			refresh: expect.any(String),
		});
	});

	it("sends no password over http:// to another computer without --insecure", async () => {
		const received: string[] = [];
		const server = createServer((request, response) => {
			received.push(request.url ?? "");
			response.writeHead(401, { "content-type": "application/json" }).end('{"detail":"The password is wrong."}');
		});
		await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
		const { port } = server.address() as AddressInfo;
		// An address of this computer that is not loopback by name or number.
		const args = ["login", "--url", `http://0.0.0.0:${port}`, "--username", "ada", "--password-stdin"];
		const refused = await cli.pipe("secret", ...args);
		expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--insecure") });
		expect(received).toEqual([]);
		expect(await cli.pipe("secret", ...args, "--insecure")).toMatchObject({ code: 3 });
		expect(received).toEqual(["/api/auth/login/"]);
		await new Promise((resolve) => server.close(resolve));
	});

	it("ends with 3 for a wrong password, and with 2 without one or without an address", async () => {
		const wrong = await cli.pipe("wrong", "login", "--username", "ada", "--password-stdin");
		expect(wrong).toMatchObject({ code: 3, stdout: "" });
		expect(await cli.weft("login", "--username", "ada")).toMatchObject({
			code: 2,
			stderr: "weft: There is no password. Pipe it into weft login with --password-stdin.\n",
		});
		expect(await cli.weft("login", "--profile", "new", "--username", "ada")).toMatchObject({
			code: 2,
			stderr: "weft: The address of Weft is not known. Set WEFT_URL, or sign in with weft login.\n",
		});
	});

	it("takes the code of a second factor", async () => {
		const eve = await cli.t.user("eve");
		const { body } = await eve.api.post("/api/auth/mfa/setup/");
		const totp = new TOTP({ secret: body.secret });
		await eve.api.post("/api/auth/mfa/verify/", { code: totp.generate() });
		const backup = await eve.api.post("/api/auth/mfa/backup-codes/", { password: TEST_PASSWORD });
		const without = await signIn(cli, eve, "--profile", "eve");
		expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("--code") });
		expect(await signIn(cli, eve, "--profile", "eve", "--code", "000000")).toMatchObject({
			code: 3,
		});
		const [code] = backup.body.backup_codes;
		expect(await signIn(cli, eve, "--profile", "eve", "--code", code)).toMatchObject({ code: 0, stdout: "" });
		expect(await cli.weft("status", "--profile", "eve", "--format", "json")).toMatchObject({
			code: 0,
			stdout: expect.stringContaining('"username": "eve"'),
		});
	});

	it.skipIf(!hasScript)("asks on a terminal, without showing the password", async () => {
		const command = [process.execPath, BIN, "login", "--profile", "typed", "--url", cli.url].join(" ");
		const terminal = spawn("script", ["-qec", command, "/dev/null"], {
			env: { ...process.env, XDG_CONFIG_HOME: cli.home },
		});
		let shown = "";
		terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
			shown += text;
		});
		const ended = once(terminal, "close");
		await waitUntil("the name is asked for", () => shown.includes("Username: "));
		terminal.stdin.write("ada\n");
		await waitUntil("the password is asked for", () => shown.includes("Password: "));
		terminal.stdin.write(`${TEST_PASSWORD}\n`);
		expect(await ended).toEqual([0, null]);
		expect(shown).toContain("Signed in to");
		expect(shown).not.toContain(TEST_PASSWORD);
		expect((await readStoredProfiles()).typed).toMatchObject({ username: "ada" });
	});

	it("ends with 2 where its file cannot be read", async () => {
		const environment = { XDG_CONFIG_HOME: BIN };
		const blocked = await cli.run(["status"], { environment });
		expect(blocked).toMatchObject({ code: 2, stderr: expect.stringMatching(/^weft: ENOTDIR/) });
	});

	it("ends with 4 where there is no Weft", async () => {
		const nowhere = await cli.pipe("x", "login", "--url", "http://127.0.0.1:1", "--username", "a", "--password-stdin");
		expect(nowhere).toMatchObject({ code: 4, stderr: expect.stringContaining("cannot be reached") });
		const page = await cli.weft("status", "--url", cli.url.replace("http", "ftp"));
		expect(page).toMatchObject({ code: 2 });
	});
});

describe("a profile", () => {
	it("is renewed once by commands that run at the same time, and other profiles stay", async () => {
		const bob = await cli.t.user("bob");
		await signIn(cli, bob, "--profile", "bob");
		const before = await readStoredProfiles();
		const expired = (token: string): string => {
			const [head = "", body = "", signature = ""] = token.split(".");
			const claims = JSON.parse(Buffer.from(body, "base64url").toString());
			return [head, Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString("base64url"), signature].join(".");
		};
		const aged = Object.fromEntries(
			Object.entries<{ access: string }>(before).map(([name, one]) => [name, { ...one, access: expired(one.access) }]),
		);
		await writeFile(getCredentialsPath(), JSON.stringify({ profiles: aged }));
		const names = ["default", "bob", "default", "bob", "default", "bob"];
		const all = await Promise.all(names.map((name) => cli.weft("status", "--profile", name, "--format", "ndjson")));
		expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, ""]));
		const users = all.map(({ stdout }) => JSON.parse(stdout).username);
		expect(users).toEqual(names.map((name) => (name === "bob" ? "bob" : "ada")));
		const after = await readStoredProfiles();
		expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
		for (const name of ["default", "bob"]) {
			expect(after[name].refresh).toBe(before[name].refresh);
			expect(after[name].access).not.toBe(aged[name]?.access);
		}
	});

	it("is never used for another address", async () => {
		const other = await cli.weft("status", "--url", "http://127.0.0.1:1");
		expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining(`belongs to ${cli.url}`) });
	});

	it("gives way to a token", async () => {
		const environment = { WEFT_URL: cli.url, WEFT_TOKEN: "no token" };
		const refused = await cli.run(["status"], { environment });
		expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("WEFT_TOKEN") });
	});

	it("ends with logout, here and on the server", async () => {
		const carl = await cli.t.user("carl");
		await signIn(cli, carl, "--profile", "carl");
		expect(await listSessions(carl)).toHaveLength(1);
		expect(await cli.weft("logout", "--profile", "carl")).toMatchObject({ code: 0 });
		expect(await readStoredProfiles()).not.toHaveProperty("carl");
		expect(await listSessions(carl)).toEqual([]);
		expect(await cli.weft("logout", "--profile", "carl")).toMatchObject({ code: 2 });
		expect(await cli.weft("status", "--profile", "carl", "--url", cli.url)).toMatchObject({ code: 3 });
	});

	it("of a session that has ended ends with 3", async () => {
		const dora = await cli.t.user("dora");
		await signIn(cli, dora, "--profile", "dora");
		await dora.api.del("/api/auth/sessions/");
		const refused = await cli.weft("status", "--profile", "dora");
		expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("weft login") });
	});
});
