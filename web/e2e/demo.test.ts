/** The sign-in page of a demo offers its logins; that of a service has none. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";
import { DEMO_MS, type Demo, startDemo } from "./demo-service.ts";

describeInBrowser("the sign-in page", (web) => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await startDemo();
	}, DEMO_MS);
	afterAll(() => demo?.close());

	it("of a demo signs in each of its people with one click", async () => {
		for (const username of ["ada", "olga", "victor"]) {
			const page = await web.open(`${demo.url}/login`, { signedIn: false });
			await page.getByRole("button", { name: `Use ${username}` }).waitFor();
			expect(await page.getByRole("button", { name: /^Use / }).count()).toBe(3);
			expect(await findViolations(page)).toEqual([]);
			await page.getByRole("button", { name: `Use ${username}` }).click();
			await page.getByRole("heading", { name: "Overview" }).waitFor();
			await page.getByRole("button", { name: "Your account" }).getByText(username).waitFor();
		}
	});

	it("of a service offers no logins", async () => {
		const page = await web.open("/login", { signedIn: false });
		await page.getByRole("button", { name: "Sign in" }).waitFor();
		expect(await page.getByText("This is a demo.").count()).toBe(0);
		expect(await page.getByRole("button", { name: /^Use / }).count()).toBe(0);
	});
});
