/** A menu is left by Escape, and its button has the focus again. */
import type { Page } from "playwright-core";
import { it } from "vitest";
import { describeInBrowser } from "./browser.ts";

/** Tooltips are loaded with the other overlays, later than the page or with the first of them. */
async function loadOverlays(page: Page): Promise<void> {
	await page.keyboard.press("Control+k");
	await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("dialog").waitFor({ state: "detached" });
}

describeInBrowser("Escape", (web) => {
	it("leaves a menu whose button shows its tooltip, and one that is left for another control", async () => {
		const page = await web.open("/");
		const help = page.getByRole("button", { name: "Help" });
		await loadOverlays(page);
		await help.focus();
		await page.keyboard.press("Enter");
		await page.getByRole("menu").waitFor();
		await page.keyboard.press("Escape");
		await page.getByRole("menu").waitFor({ state: "detached" });
		await page.locator('[aria-haspopup="menu"][aria-expanded="false"]:focus').waitFor();
		// From one control with a tooltip straight to the next one, by keys and by mouse.
		await page.keyboard.press("Shift+Tab");
		await page.keyboard.press("Tab");
		await page.locator("[popover=manual]").getByText("Help").waitFor();
		await page.getByRole("button", { name: /^Jobs/ }).hover();
		await page.locator("[popover=manual]").getByText(/^Jobs/).waitFor();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	});
});
