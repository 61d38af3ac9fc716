/** The Chromium of an npm package, on a machine where no browser is installed. */
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { BROWSER_OPTIONS, findBrowser } from "../find-browser.ts";

describe.skipIf(process.platform !== "linux" || process.arch !== "x64")("the packaged browser", () => {
	it("is found where none is installed, and opens a page", async () => {
		const found = findBrowser({}, []);
		expect(found).toEqual({ path: expect.stringContaining("node_modules/.weft/chromium-") });
		const browser = await chromium.launch({ executablePath: found.path as string, ...BROWSER_OPTIONS });
		try {
			const page = await browser.newPage();
			await page.setContent("<h1>Weft</h1>");
			expect(await page.textContent("h1")).toBe("Weft");
		} finally {
			await browser.close();
		}
	});
});
