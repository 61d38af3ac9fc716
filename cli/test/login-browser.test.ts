/** `weft login --browser`: a sign-in at an identity provider that ends in a profile. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TOTP } from "otpauth";
import { afterAll, describe, expect, it } from "vitest";
import { createOidcProvider } from "../../server/src/integrations/oidc/oidc.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { startIdentityProvider, type TestProvider } from "../../server/test/support/identity-provider.ts";
import type { Started } from "../../server/test/support/spawned.ts";
import { BIN, useCli } from "./support/cli.ts";

const FRONTEND = "https://weft.example.com";
const CALLBACK = `${FRONTEND}/api/auth/oidc/callback/`;
const START = "/api/auth/oidc/start/";
const discardMessage = () => {};
const SILENT = { debug: discardMessage, info: discardMessage, warn: discardMessage, error: discardMessage };
/** Runs programs on a terminal. */
const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) process.stderr.write("questions on a terminal: skipped, script is not installed\n");

let provider: TestProvider;
const cli = useCli({
	async deps() {
		provider = await startIdentityProvider(FRONTEND);
		const { issuer, clientId, clientSecret } = provider;
		const options = {
			issuer,
			clientId,
			clientSecret,
			scopes: "openid profile email",
			usernameClaim: "preferred_username",
			groupsClaim: "groups",
		};
		const adapter = createOidcProvider(options, Date, SILENT);
		const rules = { groupMap: {}, adminGroup: null };
		return { frontendUrl: FRONTEND, identityProvider: { ...adapter, rules, label: "Example" } };
	},
});
afterAll(() => provider.stop());

const addPerson = (name: string): string => {
	provider.people.set(name, { preferred_username: name });
	return name;
};
const startLogin = (...args: string[]): Started => cli.start(["login", "--url", cli.url, "--browser", ...args]);
const readAddress = (text: string): string | null => /^http\S+\/oidc\/start\/\S+/m.exec(text)?.[0] ?? null;

/** Does what a browser does with the address up to the page with the code. */
async function openPage(address: string, subject: string): Promise<{ location: URL; cookie: string }> {
	const started = await fetch(address, { redirect: "manual" });
	expect(started.status).toBe(302);
	const location = new URL(started.headers.get("location") ?? "");
	const cookie = started.headers.get("set-cookie")?.split(";")[0] ?? "";
	const { pathname, search } = new URL(await provider.signIn(location.href, subject, CALLBACK));
	const back = await fetch(cli.url + pathname + search, { redirect: "manual", headers: { cookie } });
	return { location: new URL(back.headers.get("location") ?? ""), cookie };
}

const submitDecision = async (
	{ location, cookie }: { location: URL; cookie: string },
	decision: string,
): Promise<URL> => {
	const request = new URLSearchParams(location.hash.slice(1)).get("request");
	const answer = await fetch(`${cli.url}/api/auth/oidc/terminal/decide/`, {
		method: "POST",
		headers: { cookie, "content-type": "application/json" },
		body: JSON.stringify({ request, decision }),
	});
	return new URL((await answer.json()).location);
};

/** Signs the terminal in. Returns where the browser goes in the end. */
async function followSignIn(address: string, subject: string): Promise<URL> {
	const page = await openPage(address, subject);
	return page.location.hostname === "127.0.0.1" ? page.location : submitDecision(page, "sign_in");
}
const getAddress = ({ output }: Started) => waitUntil("the address is shown", () => readAddress(output.stderr));
const readProfiles = async () => JSON.parse(await readFile(join(cli.home, "weft/credentials.json"), "utf8")).profiles;

describe("weft login --browser", () => {
	it("stores the session of the person at the provider", async () => {
		const started = startLogin("--profile", "lea", "--quiet");
		const address = await getAddress(started);
		expect(address.startsWith(`${cli.url}${START}?redirect_uri=http%3A%2F%2F127.0.0.1%3A`)).toBe(true);
		const back = await followSignIn(address, addPerson("lea"));
		const other = await fetch(new URL("/?code=x", back.origin));
		expect(other.status).toBe(404);
		const page = await fetch(back);
		expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Go back to the terminal")]);
		expect(await started.ended).toMatchObject({ code: 0, stdout: "" });
		expect((await readProfiles()).lea).toMatchObject({ url: cli.url, username: "lea" });
		const status = await cli.weft("status", "--profile", "lea", "--format", "json");
		expect(JSON.parse(status.stdout)).toMatchObject({ username: "lea" });
		// The code alone is of no use, and was used.
		const answer = await cli.t.anonymous.post("/api/auth/oidc/exchange/", { code: back.searchParams.get("code") });
		expect(answer.status).toBe(401);
	});

	it("shows the code that the page in the browser shows, and ends with 3 after a cancellation", async () => {
		const started = startLogin("--profile", "none");
		const page = await openPage(await getAddress(started), addPerson("lea"));
		expect(page.location.pathname).toBe("/login/terminal");
		const shown = await fetch(`${cli.url}/api/auth/oidc/terminal/`, {
			method: "POST",
			headers: { cookie: page.cookie, "content-type": "application/json" },
			body: JSON.stringify({ request: page.location.hash.slice("#request=".length) }),
		});
		const { code } = await shown.json();
		expect(started.output.stderr).toContain(`The page then shows the code ${code}.`);
		await fetch(await submitDecision(page, "cancel"));
		expect(await started.ended).toMatchObject({ code: 3, stderr: expect.stringContaining("you cancelled it") });
		expect(await readProfiles()).not.toHaveProperty("none");
	});

	it("asks for a second factor", async () => {
		const first = startLogin("--profile", "mia");
		await fetch(await followSignIn(await getAddress(first), addPerson("mia")));
		expect(await first.ended).toMatchObject({ code: 0 });
		const { access } = (await readProfiles()).mia;
		const { body } = await cli.t.as(access).post("/api/auth/mfa/setup/");
		const totp = new TOTP({ secret: body.secret });
		await cli.t.as(access).post("/api/auth/mfa/verify/", { code: totp.generate() });
		const without = startLogin("--profile", "mia");
		await fetch(await followSignIn(await getAddress(without), "mia"));
		expect(await without.ended).toMatchObject({ code: 2, stderr: expect.stringContaining("--code") });
		const wrong = startLogin("--profile", "mia", "--code", "000000");
		await fetch(await followSignIn(await getAddress(wrong), "mia"));
		expect(await wrong.ended).toMatchObject({ code: 3 });
	});

	it("ends with 3 and a sentence where the sign-in fails", async () => {
		const failed = startLogin("--profile", "none");
		await fetch(await followSignIn(await getAddress(failed), addPerson("ada")));
		expect(await failed.ended).toMatchObject({
			code: 3,
			stderr: expect.stringContaining("weft: Another account has your username."),
		});
		const forged = startLogin("--profile", "none");
		const target = new URL(new URL(await getAddress(forged)).searchParams.get("redirect_uri") ?? "");
		target.search = "?code=of-another-sign-in";
		await fetch(target);
		expect(await forged.ended).toMatchObject({ code: 3, stderr: expect.stringContaining("code is unknown") });
		expect(await readProfiles()).not.toHaveProperty("none");
	});

	it("ends with Ctrl-C", async () => {
		const started = startLogin();
		await getAddress(started);
		started.child.kill("SIGINT");
		expect(await started.ended).toMatchObject({ code: 130 });
	});

	it("ends with 2 with options of a password, and says what to give where nobody can answer", async () => {
		expect(await startLogin("--username", "ada").ended).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("--browser"),
		});
		expect(await cli.weft("login", "--url", cli.url)).toMatchObject({
			code: 2,
			stderr: "weft: Give the name of the user with --username, or sign in with --browser.\n",
		});
	});

	it.skipIf(!hasScript)("is offered on a terminal", async () => {
		const command = [process.execPath, BIN, "login", "--profile", "typed", "--url", cli.url].join(" ");
		const terminal = spawn("script", ["-qec", command, "/dev/null"], {
			env: { PATH: process.env.PATH, XDG_CONFIG_HOME: cli.home },
		});
		let shown = "";
		terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
			shown += text;
		});
		const ended = once(terminal, "close");
		await waitUntil("the name is asked for", () => shown.includes("(empty: sign in with Example in the browser): "));
		terminal.stdin.write("\n");
		const address = await waitUntil("the address is shown", () =>
			/\/start\/\S+\s/.test(shown) ? readAddress(shown) : null,
		);
		await fetch(await followSignIn(address, addPerson("noa")));
		expect(await ended).toEqual([0, null]);
		expect((await readProfiles()).typed).toMatchObject({ username: "noa" });
	});
});
