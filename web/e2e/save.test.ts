/** A new query is saved from the builder, and the pages that do it load no schemas. */
import { expect, it } from "vitest";
import { inBrowser } from "./browser.ts";

const NAME = "Tenants of this fabric";

inBrowser("a query that is saved for the first time", (web) => {
	it("is there after a reload", async () => {
		const page = await web.open("/builder");
		await page.getByRole("button", { name: "Save", exact: true }).click();
		const dialog = page.getByRole("dialog", { name: "Save as a new query" });
		await dialog.getByLabel("Name", { exact: true }).click();
		await page.keyboard.type(NAME);
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		await dialog.waitFor({ state: "detached" });
		await expect.poll(() => page.url()).toMatch(/[0-9a-f]{8}-/);
		await page.reload();
		await page.getByText(NAME).first().waitFor();
	});

	it("loads no schema for it", async () => {
		const page = await web.open("/");
		const scripts: string[] = [];
		page.on("response", async (response) => {
			if (response.url().endsWith(".js")) scripts.push(await response.text());
		});
		await page.goto(`${new URL(page.url()).origin}/builder`);
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByRole("dialog", { name: "Save as a new query" }).waitFor();
		expect(scripts.length).toBeGreaterThan(0);
		expect(scripts.filter((text) => text.includes("_zod"))).toEqual([]);
	});
});
