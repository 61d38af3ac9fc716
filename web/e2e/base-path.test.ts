/** The UI under a path of its own, as behind a proxy that serves other things too. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { PASSWORD, startWorld, USERNAME, type World } from "./world.ts";

const BASE = "/tools/weft";

describeInBrowser("under a base path", (web) => {
	let world: World;
	beforeAll(async () => {
		world = await startWorld({ WEFT_BASE_PATH: BASE });
	});
	afterAll(() => world.close());

	it("signs in, goes from page to page and is loaded anew without leaving it", async () => {
		const { origin } = new URL(world.url);
		const page = await web.open(`${origin}${BASE}/settings/connections?q=fab`, { signedIn: false });
		await page.getByLabel("Username").fill(USERNAME);
		await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await page.keyboard.press("Enter");
		const place = () => new URL(page.url()).pathname + new URL(page.url()).search;
		await page.getByRole("heading", { level: 1, name: "Connections" }).waitFor();
		expect(place()).toBe(`${BASE}/settings/connections?q=fab`);
		await page.getByRole("link", { name: "Runs", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
		expect(place()).toBe(`${BASE}/runs`);
		await page.reload();
		await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
		await page.getByText("Live", { exact: true }).waitFor();
		expect(place()).toBe(`${BASE}/runs`);
	});
});
