/** Signing in at an identity provider, in the browser. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../server/test/support/free-port.ts";
import { startIdentityProvider, type TestProvider } from "../../server/test/support/identity-provider.ts";
import { inBrowser, violations } from "./browser.ts";
import { startWorld, type World } from "./world.ts";

const SUBJECT = "subject of grace";

inBrowser("single sign-on", (web) => {
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
	async function open(path: string, subject = SUBJECT): Promise<Page> {
		const page = await web.open(`${frontend}${path}`, { signedIn: false, besides: provider.issuer });
		await page.setExtraHTTPHeaders({ "x-subject": subject });
		return page;
	}
	const button = (page: Page) => page.getByRole("button", { name: "Sign in with Example login" });

	it("leads to the provider and back to the page that was asked for", async () => {
		const page = await open("/settings/connections?q=fab");
		await button(page).waitFor();
		expect(await violations(page)).toEqual([]);
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
		const page = await open("/login", "subject of nobody");
		provider.people.set("subject of nobody", { email: "nobody@provider.example.com" });
		await button(page).click();
		await page.getByText("The identity provider gives you no name that can be a username.").waitFor();
		expect(new URL(page.url()).searchParams.get("oidc_error")).toBe("username");
		expect(await violations(page)).toEqual([]);
		await page.goto(`${frontend}/login?oidc_error=denied`);
		await page.getByText("The identity provider refused the sign-in, or you cancelled it.").waitFor();
		await page.goto(`${frontend}/login?oidc_error=something-new`);
		await page.getByText("The sign-in at the identity provider failed. Sign in again.").waitFor();
		await page.goto(`${frontend}/login?oidc=not-a-code`);
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		await button(page).waitFor();
	});
});
