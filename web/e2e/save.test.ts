/** A new query is saved from the builder, and no page loads schemas. */
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { savedQueryRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";

const NAME = "Tenants of this fabric";

describeInBrowser("a query that is saved for the first time", (web) => {
	it("is there after a reload", async () => {
		deleteAfterTest(web.client(), savedQueryRoutes, NAME);
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
});

it("the build of the web interface has no schemas", async () => {
	const assets = fileURLToPath(new URL("../dist/assets/", import.meta.url));
	const scripts = (await readdir(assets)).filter((name) => name.endsWith(".js"));
	const texts = await Promise.all(scripts.map((name) => readFile(`${assets}${name}`, "utf8")));
	expect(texts.join("")).toContain("/api/queries/saved-queries/");
	expect(scripts.filter((_, i) => texts[i]?.includes("_zod"))).toEqual([]);
});
