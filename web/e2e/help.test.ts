/** The documents inside the service: from a page to its own, and to another one by search. */
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";

describeInBrowser("the help", (web) => {
	it("opens the document of the page, and finds another", async () => {
		const page = await web.open("/checks");
		await page.getByRole("button", { name: "Help" }).click();
		const opened = page.context().waitForEvent("page");
		await page.getByRole("menuitem", { name: "About this page" }).click();
		const help = await opened;
		await help.waitForLoadState();
		const refused: string[] = [];
		help.on("console", (message) => message.type() === "error" && refused.push(message.text()));
		await help.reload();
		await help.getByRole("heading", { level: 1, name: /Checks/ }).waitFor();
		expect(new URL(help.url()).pathname).toBe("/help/checks");
		// The generator's own search button shows its keys beside its name.
		const found = await findViolations(help);
		expect(found.filter((text) => !text.includes(".DocSearch"))).toEqual([]);
		await help.getByRole("link", { name: "Upgrade and uninstall" }).first().click();
		await help.getByRole("heading", { level: 1, name: /Upgrade and uninstall/ }).waitFor();
		await help.getByRole("button", { name: "Search" }).click();
		await help.getByRole("searchbox").fill("journalctl");
		await help
			.getByRole("option", { name: /Install on Debian/ })
			.first()
			.click();
		await help.getByRole("heading", { level: 1, name: /Install on Debian/ }).waitFor();
		expect(refused).toEqual([]);
	});

	it("is there without a sign-in, in the dark, and on a phone", async () => {
		const page = await web.open("/help/", { signedIn: false, width: 390, height: 780 });
		await page.getByRole("heading", { level: 1, name: /Weft: help/ }).waitFor();
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
	});
});
