/** Signing in and out, and the frame around every page. */
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";
import { PASSWORD, USERNAME } from "./world.ts";

describeInBrowser("signing in", (web) => {
	it("with a wrong password says so, with the right one leads to where one wanted to go", async () => {
		const page = await web.open("/settings/connections?q=fab", { signedIn: false });
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		await page.getByLabel("Username").fill(USERNAME);
		await page.getByLabel("Password", { exact: true }).fill("wrong");
		await page.keyboard.press("Enter");
		await page.getByText("The username or the password is wrong.").waitFor();
		await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Connections" }).waitFor();
		expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/settings/connections?q=fab");
	});

	it("lasts over a reload, and ends for good with signing out", async () => {
		const page = await web.open("/", { signedIn: false });
		await page.getByLabel("Username").fill(USERNAME);
		await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByRole("heading", { name: "Overview" }).waitFor();
		await page.reload();
		await page.getByRole("heading", { name: "Overview" }).waitFor();
		await page.getByRole("button", { name: "Your account" }).click();
		await page.getByRole("menuitem", { name: "Sign out" }).click();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		await page.reload();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
	});

	it("hears a key that is pressed before anything is on the screen", async () => {
		const page = await web.open("/");
		await page.keyboard.press("Control+k");
		await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
		await page.keyboard.type("time m");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Snapshots" }).waitFor();
		await page.keyboard.press("g");
		await page.keyboard.press("s");
		await page.getByRole("heading", { name: "Schedules" }).waitFor();
	});

	for (const theme of ["light", "dark"] as const) {
		it(`holds the rules of accessibility, ${theme}`, async () => {
			for (const [path, signedIn] of [
				["/login", false],
				["/", true],
			] as const) {
				const page = await web.open(path, { theme, signedIn });
				await page.getByRole("heading", { level: 1 }).waitFor();
				expect(await findViolations(page)).toEqual([]);
			}
		});
	}
});
