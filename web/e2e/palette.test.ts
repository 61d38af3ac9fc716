/** The command palette: verbs before places, for every query that it finds. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { QUERY } from "./seed.ts";

async function openPalette(page: Page, text: string): Promise<void> {
	await page.keyboard.press("Control+k");
	await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
	await page.keyboard.type(text);
}

describeInBrowser("the palette", (web) => {
	it("runs, schedules and compares a query by its name", async () => {
		const page = await web.open("/library");
		await page.getByRole("heading", { name: "Library" }).waitFor();
		await openPalette(page, `compare ${QUERY}`);
		await page.getByRole("option", { name: `Compare ${QUERY} with its previous snapshot` }).click();
		await page.getByRole("region", { name: "Differences" }).waitFor();
		const { searchParams } = new URL(page.url());
		expect(searchParams.get("query")).toBe(web.queryId);
		await openPalette(page, `schedule ${QUERY}`);
		await page.getByRole("option", { name: `Schedule ${QUERY}` }).click();
		await page.getByRole("dialog").getByLabel("Name").waitFor();
		await page.keyboard.press("Escape");
		const name = "Run from the palette";
		await web.copyOfQuery(name);
		await openPalette(page, `run ${name}`);
		await page.getByRole("option", { name: new RegExp(`^Run ${name} on `) }).waitFor();
		await page.getByRole("option", { name: "New query" }).waitFor({ state: "detached" });
		await page.keyboard.press("Enter");
		await page.waitForURL(/\/runs\//);
		await page.getByText("Succeeded").first().waitFor();
	});

	it("makes what is new from anywhere", async () => {
		const page = await web.open("/audit");
		await page.getByRole("heading", { level: 1 }).first().waitFor();
		await openPalette(page, "new query");
		await page.getByRole("option", { name: "New query" }).click();
		await page.getByRole("heading", { name: "New query" }).waitFor();
	});
});
