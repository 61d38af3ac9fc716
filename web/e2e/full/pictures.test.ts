/**
 * Not a test: draws every screen in both themes for the documentation.
 * `WEFT_PICTURES=docs/ui npx vitest run --project full-browser pictures`, after a build.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { it } from "vitest";
import { describeInBrowser } from "../browser.ts";
import { PLACES } from "../places.ts";
import { USERNAME } from "../world.ts";

const folder = process.env.WEFT_PICTURES ?? "docs/ui";

describeInBrowser("pictures", (web) => {
	it("of every screen", async () => {
		const target = resolve(folder);
		mkdirSync(target, { recursive: true });
		for (const { name, path, ready, signedOut = false, drawn = true } of PLACES) {
			if (!drawn) continue;
			const page = await web.open(path(web), { width: 1280, height: 800, signedIn: !signedOut });
			await ready(page);
			if (!signedOut) await page.getByRole("navigation", { name: "Main" }).getByText(USERNAME).waitFor();
			if (name === "builder") await page.getByRole("button", { name: "Show everything" }).click();
			const file = name.replace(/\W+/g, "-").toLowerCase();
			for (const theme of ["light", "dark"] as const) {
				await page.emulateMedia({ colorScheme: theme });
				await page.locator(`html[data-theme="${theme}"]`).waitFor();
				await page.evaluate(() => document.fonts.ready);
				await page.screenshot({ path: join(target, `${file}-${theme}.png`) });
			}
			await page.context().close();
		}
	});
});
