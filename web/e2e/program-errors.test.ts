/** Errors of the program itself: named as such, copied, never retried, and kept to their part. */
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { QUERY } from "./seed.ts";

const PROGRAM_ERROR = "This part of the page failed.";

describeInBrowser("a program error", (web) => {
	it("in one part of a page leaves the others, is not retried, and is copied with its stack and place", async () => {
		const page = await web.open("/overview-first", { failsOnPurpose: true });
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		let asked = 0;
		await page.route(/pipeline-executions\/\?/, (route) => {
			asked++;
			return route.fulfill({ json: { count: 1, next: null, previous: null, results: [null] } });
		});
		await page.goto("/runs");
		const alert = page.getByRole("alert").filter({ hasText: PROGRAM_ERROR });
		await alert.waitFor();
		await page.getByRole("navigation", { name: "Main" }).waitFor();
		expect(await page.getByText("Weft is unreachable").count()).toBe(0);
		await alert.getByRole("button", { name: "Copy the details" }).click();
		const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
		await expect.poll(readClipboard).toMatch(/TypeError/);
		const copied = await readClipboard();
		expect(copied).toContain("/runs");
		expect(copied).toMatch(/at .+\.js/);
		expect(copied).toMatch(/Build: \S+/);
		const before = asked;
		await page.getByRole("link", { name: "Library", exact: true }).first().click();
		await page.getByText(QUERY).first().waitFor();
		expect(asked).toBe(before);
	});

	it("outside of the page's parts is shown on it and can be copied: an event, and a dropped promise", async () => {
		const page = await web.open("/library", { failsOnPurpose: true });
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.getByText(QUERY).first().waitFor();
		await page.evaluate(() => {
			setTimeout(() => {
				throw new Error("thrown by a timer");
			});
		});
		const notices = page.getByRole("region", { name: "Notices" });
		await notices.getByText("thrown by a timer").waitFor();
		await page.evaluate(() => void Promise.reject(new RangeError("dropped promise")));
		const dropped = notices.locator("[data-program-error]").filter({ hasText: "dropped promise" });
		await dropped.getByRole("button", { name: "Copy the details" }).click();
		await expect
			.poll(() => page.evaluate(() => navigator.clipboard.readText()))
			.toContain("RangeError: dropped promise");
		await page.getByText(QUERY).first().waitFor();
	});

	it("in a dialog leaves the page behind it and what was typed there", async () => {
		const page = await web.open("/builder?class=fvBD", { failsOnPurpose: true });
		await page.getByText("GET /api/class/fvBD.json").waitFor();
		await page.route(/queries\/categories/, (route) =>
			route.fulfill({ json: { count: 1, next: null, previous: null, results: [null] } }),
		);
		await page.keyboard.press("Control+s");
		await page.getByText(PROGRAM_ERROR).waitFor();
		await page.locator(".react-flow__node").filter({ hasText: "fvBD" }).waitFor();
		await page.getByRole("navigation", { name: "Main" }).waitFor();
	});

	it("of the worker that reads a result is no failure of the network", async () => {
		const page = await web.open("/overview-first", { failsOnPurpose: true });
		await page.route(/pipeline-executions\/.*export=ndjson/, (route) =>
			route.fulfill({ contentType: "application/x-ndjson", body: "{broken" }),
		);
		await page.goto(`/runs/${web.runId}`);
		await page.getByRole("alert").filter({ hasText: PROGRAM_ERROR }).waitFor();
	});
});

describeInBrowser("an answer that breaks off", (web) => {
	it("is a failure of the network, also where a worker reads it", async () => {
		const page = await web.open("/overview-first");
		await page.route(/pipeline-executions\/.*export=ndjson/, (route) => route.abort("connectionreset"));
		await page.goto(`/runs/${web.runId}`);
		await page.getByText("Weft is unreachable.").waitFor();
	});
});
