/** Signing in at an identity provider, in the browser. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../server/test/support/free-port.ts";
import { startIdentityProvider, type TestProvider } from "../../server/test/support/identity-provider.ts";
import { startProgram } from "../../server/test/support/spawned.ts";
import { describeInBrowser, findViolations } from "./browser.ts";
import { startWorld, type World } from "./world.ts";

const SUBJECT = "subject of grace";
const WEFT = fileURLToPath(new URL("../../cli/bundle/weft.js", import.meta.url));

describeInBrowser("single sign-on", (web) => {
	let provider: TestProvider;
	let world: World;
	let frontend = "";
	beforeAll(async () => {
		// The provider must know the address of the service before the service starts.
		const port = await freePort();
		frontend = `http://127.0.0.1:${port}`;
		provider = await startIdentityProvider(frontend);
		provider.people.set(SUBJECT, {
			preferred_username: "grace",
			email: "grace@provider.example.com",
			email_verified: true,
			given_name: "Grace",
			family_name: "Hopper",
			groups: ["engineers"],
		});
		world = await startWorld({
			WEFT_PORT: String(port),
			WEFT_FRONTEND_URL: frontend,
			WEFT_OIDC_ISSUER: provider.issuer,
			WEFT_OIDC_CLIENT_ID: provider.clientId,
			WEFT_OIDC_CLIENT_SECRET: provider.clientSecret,
			WEFT_OIDC_GROUP_MAP: JSON.stringify({ engineers: "Editor" }),
			WEFT_OIDC_LABEL: "Example login",
		});
	});
	afterAll(async () => {
		await world?.close();
		await provider?.stop();
	});

	/** At the provider, this person is signed in at once. */
	async function openPage(path: string, subject = SUBJECT, ...besides: string[]): Promise<Page> {
		const page = await web.open(`${frontend}${path}`, { signedIn: false, besides: [provider.issuer, ...besides] });
		await page.setExtraHTTPHeaders({ "x-subject": subject });
		return page;
	}
	const button = (page: Page) => page.getByRole("button", { name: "Sign in with Example login" });

	it("leads to the provider and back to the page that was asked for", async () => {
		const page = await openPage("/settings/connections?q=fab");
		await button(page).waitFor();
		expect(await findViolations(page)).toEqual([]);
		await button(page).focus();
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();
		const { pathname, search } = new URL(page.url());
		expect(pathname + search).toBe("/settings/connections?q=fab");
		await page.reload();
		await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();
		await page.goto(`${frontend}/me/profile`);
		await page.getByRole("heading", { level: 1, name: "Grace Hopper" }).waitFor();
		await page
			.getByText(/Author/)
			.first()
			.waitFor();
		await page.goBack();
		await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();

		await page.getByRole("button", { name: "Your account" }).click();
		await page.getByRole("menuitem", { name: "Sign out" }).click();
		await page.waitForURL(`${provider.issuer}/**`);
	});

	it("says why it failed, and a password still works", async () => {
		const page = await openPage("/login", "subject of nobody");
		provider.people.set("subject of nobody", { email: "nobody@provider.example.com" });
		await button(page).click();
		await page.getByText("The identity provider gives you no name that can be a username.").waitFor();
		expect(new URL(page.url()).searchParams.get("oidc_error")).toBe("username");
		expect(await findViolations(page)).toEqual([]);
		await page.goto(`${frontend}/login?oidc_error=denied`);
		await page.getByText("The identity provider refused the sign-in, or you cancelled it.").waitFor();
		await page.goto(`${frontend}/login?oidc_error=something-new`);
		await page.getByText("The sign-in at the identity provider failed. Sign in again.").waitFor();
		await page.goto(`${frontend}/login#oidc=not-a-code`);
		await page.getByText("The code is unknown").waitFor();
		await button(page).waitFor();
		expect(page.url()).toBe(`${frontend}/login`);
	});

	describe("of a terminal", () => {
		/** A command line that waits, and the page that the browser comes to. */
		async function beginLogin() {
			const home = await mkdtemp(join(tmpdir(), "weft-terminal-"));
			onTestFinished(() => rm(home, { recursive: true }));
			const started = startProgram(process.execPath, [WEFT, "login", "--url", frontend, "--browser"], {
				environment: { XDG_CONFIG_HOME: home },
			});
			onTestFinished(() => void started.child.kill());
			const find = async (pattern: RegExp) => {
				await expect.poll(() => started.output.stderr, { timeout: 60_000 }).toMatch(pattern);
				return pattern.exec(started.output.stderr)?.[1] ?? "";
			};
			const address = await find(/^(http\S+\/oidc\/start\/\S+)/m);
			const code = await find(/shows the code (\S+)\./);
			const { origin, host } = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
			const page = await openPage("/login", SUBJECT, origin);
			await page.goto(address);
			await page.getByRole("heading", { name: "Sign in a terminal" }).waitFor();
			await page.getByText(code, { exact: true }).waitFor();
			await page.getByText("grace", { exact: true }).waitFor();
			await page.getByText(host, { exact: true }).waitFor();
			return { page, started };
		}

		it("needs a click on a page that shows the terminal's code, the person and the address", async () => {
			const { page, started } = await beginLogin();
			expect(await findViolations(page)).toEqual([]);
			await page.getByRole("button", { name: "Sign in this terminal" }).click();
			await page.getByText("Go back to the terminal.").waitFor();
			expect(await started.ended).toMatchObject({ code: 0, stderr: expect.stringContaining("as grace.") });
		});

		it("is refused by a click on Cancel, and the page cannot be used again", async () => {
			const { page, started } = await beginLogin();
			await page.getByRole("button", { name: "Cancel" }).click();
			await page.getByText("The terminal says why").waitFor();
			expect(await started.ended).toMatchObject({ code: 3, stderr: expect.stringContaining("you cancelled it") });
			await page.goBack();
			await page.getByText("No sign-in of a terminal waits for you").waitFor();
		});
	});
});
