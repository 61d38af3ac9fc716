/** From an empty service to people who work: invitations, forced passwords and second factors. */

import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { generateTotp } from "../../server/test/support/totp.ts";
import { describeInBrowser, findViolations } from "./browser.ts";
import { startWorld, USERNAME, PASSWORD as WORLD_PASSWORD, type World } from "./world.ts";

const PASSWORD = "a long phrase of my own";

describeInBrowser("people who are invited", (web) => {
	let world: World;

	const open = (path: string) => web.open(`${world.url}${path}`, { signedIn: false });
	async function signIn(page: Page, username: string, password: string): Promise<void> {
		await page.getByLabel("Username").fill(username);
		await page.getByLabel("Password", { exact: true }).fill(password);
		await page.getByRole("button", { name: "Sign in", exact: true }).click();
	}
	/** Sets up the second factor on the page that asks for it. */
	async function enrolSecondFactor(page: Page): Promise<void> {
		await page.getByRole("heading", { name: "Before you go on" }).waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Set up the second factor" }).click();
		const dialog = page.getByRole("dialog", { name: "Set up the second factor" });
		const secret = await dialog.locator("p.mono").innerText();
		await dialog.getByLabel("Code", { exact: true }).fill(generateTotp(secret.replace(/\s/g, "")));
		await dialog.getByRole("button", { name: "Turn on" }).click();
		await page.getByLabel("I have stored the codes in a safe place").check();
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	}

	it("choose a password with their link, and set up what the service requires", async () => {
		// Each try has a service of its own: the administrator's second factor lasts.
		world = await startWorld({ WEFT_REQUIRE_MFA: "approvers" });
		onTestFinished(() => world.close());
		const admin = await open("/login");
		await signIn(admin, USERNAME, WORLD_PASSWORD);
		await enrolSecondFactor(admin);
		await admin.goto(`${world.url}/users`);
		await admin.getByRole("button", { name: "Invite people" }).click();
		const dialog = admin.getByRole("dialog", { name: "Invite people" });
		await dialog.getByLabel("People").fill(`grace, grace@example.com\n${USERNAME}\nlin@example.com`);
		await dialog.getByLabel("Viewer").check();
		expect(await findViolations(admin)).toEqual([]);
		await dialog.getByRole("button", { name: "Invite 3 people" }).click();
		await dialog.getByText(`${USERNAME}: There is a user of this name already.`).waitFor();
		await dialog.getByLabel("People").fill("grace, grace@example.com\nlin@example.com");
		await dialog.getByRole("button", { name: "Invite 2 people" }).click();
		const links = admin.getByRole("dialog", { name: "Links of the invitations" });
		const grace = await links.locator("li .mono").first().innerText();
		await links.getByLabel("I have passed the links on").check();
		await links.getByRole("button", { name: "Done" }).click();

		const page = await open(grace.slice(world.url.length));
		await page.getByText("Your username is").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.getByLabel("Password", { exact: true }).fill("grace");
		await page.getByRole("button", { name: "Set the password and sign in" }).click();
		await page
			.getByText(/at least/i)
			.first()
			.waitFor();
		await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await page.getByRole("button", { name: "Set the password and sign in" }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		const again = await open(grace.slice(world.url.length));
		await again.getByText("The invitation is unknown").waitFor();

		const waiting = admin.getByRole("region", { name: "Open invitations" });
		await admin.reload();
		await waiting.getByRole("row", { name: /lin/ }).getByRole("button", { name: "Withdraw" }).click();
		await admin.getByText("The invitation of lin is withdrawn").waitFor();
		await expect.poll(() => waiting.count()).toBe(0);

		await admin.getByRole("link", { name: "grace", exact: true }).click();
		await admin.getByRole("button", { name: "More for grace" }).click();
		await admin.getByRole("menuitem", { name: "Set a password" }).click();
		const reset = admin.getByRole("dialog", { name: "Set a password for grace" });
		await reset.getByLabel("New password").fill("chosen by an administrator");
		await reset.getByRole("button", { name: "Set the password" }).click();
		await admin.getByText("grace has a new password").waitFor();
		await page.goto(`${world.url}/login`);
		await signIn(page, "grace", "chosen by an administrator");
		await page.getByText("An administrator has set your password.").waitFor();
		await page.getByLabel("Present password").fill("chosen by an administrator");
		await page.getByLabel("New password").fill("another phrase of my own");
		await page.getByRole("button", { name: "Change the password" }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	});
});
