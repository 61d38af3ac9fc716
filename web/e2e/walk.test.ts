import { expect, test } from "vitest";
import { inOwnBrowser } from "./in-own-browser.ts";

inOwnBrowser("the walk through the web interface", (getBrowser) => {
	test("opens a page", async () => {
		const page = await getBrowser().newPage();
		await page.setContent("<h1>Weft</h1>");
		expect(await page.textContent("h1")).toBe("Weft");
		await page.close();
	});
});
