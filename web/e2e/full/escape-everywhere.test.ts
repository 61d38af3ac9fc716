/** Every menu and dialog is left by Escape, and the page behind it stays. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "../browser.ts";
import { PLACES } from "../places.ts";

/** Buttons that look alike, such as those of rows, are tried once. */
const getKind = (label: string): string => label.replace(/ (for|of) .*|(?<=^Column ).*/, "");

/** Tooltips are loaded with the other overlays, later than the page or with the first of them. */
async function loadOverlays(page: Page): Promise<void> {
	await page.keyboard.press("Control+k");
	await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Opens a menu by mouse and by key, presses Escape, and expects the page as it was. */
async function openAndLeave(page: Page, index: number): Promise<void> {
	const trigger = page.locator('[aria-haspopup="menu"]:visible').nth(index);
	await trigger.hover();
	for (const open of [() => trigger.click(), () => page.keyboard.press("Enter")]) {
		await open();
		await page.getByRole("menu").waitFor();
		await page.keyboard.press("Escape");
		await page.getByRole("menu").waitFor({ state: "detached" });
		await page.locator('[aria-haspopup="menu"][aria-expanded="false"]:focus').waitFor();
		expect(await page.getByRole("alert").allTextContents()).toEqual([]);
	}
}

describeInBrowser("Escape", (web) => {
	// It visits every page: more of them need more time.
	it("leaves every menu", { timeout: 600_000 }, async () => {
		for (const { name, path, ready, signedOut = false, drawn = true } of PLACES) {
			if (signedOut || !drawn || name.endsWith("new")) continue;
			const page = await web.open(path(web));
			await ready(page);
			await loadOverlays(page);
			const labels = await page
				.locator('[aria-haspopup="menu"]:visible')
				.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label") ?? each.textContent ?? ""));
			const kinds = labels.map(getKind);
			for (const [index, kind] of kinds.entries()) if (kinds.indexOf(kind) === index) await openAndLeave(page, index);
			await page.getByRole("navigation", { name: "Main" }).waitFor();
			await page.context().close();
		}
	});
});
