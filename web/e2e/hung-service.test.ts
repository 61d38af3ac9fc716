/** A service that accepts connections and answers nothing, as a process of a hung machine does. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { PASSWORD, startWorld, USERNAME, type World } from "./world.ts";

/** Half of the time after which the browser counts a silent socket as lost. */
const HALF_SILENCE_MS = 30_000;

describeInBrowser("a service that hangs", (web) => {
	let world: World;
	beforeAll(async () => {
		world = await startWorld();
	});
	afterAll(() => world.close());

	it("is not called live, and is live again on the same page when it goes on", async () => {
		const page = await web.open(`${world.url}/library`, { signedIn: false });
		await page.getByLabel("Username").fill(USERNAME);
		await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await page.keyboard.press("Enter");
		await page.getByText("Live", { exact: true }).waitFor();
		world.hang();
		try {
			await page.getByText("Not answering").waitFor({ timeout: HALF_SILENCE_MS });
			expect(await page.getByText("Live", { exact: true }).count()).toBe(0);
		} finally {
			world.resume();
		}
		await page.getByText("Live", { exact: true }).waitFor();
		await page.getByRole("heading", { name: "Library" }).waitFor();
	});
});
