/** Schedules: made with words that come from the service, run at once, paused, deleted. */
import { scheduleRoutes } from "@weft/contracts";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";
import { QUERY } from "./seed.ts";

describeInBrowser("schedules", (web) => {
	it("are made with their next runs in view, run, paused and deleted", async () => {
		deleteAfterTest(web.client(), scheduleRoutes, "Every Wednesday");
		const page = await web.open("/schedules");
		await page.getByRole("button", { name: "New schedule" }).first().click();
		const dialog = page.getByRole("dialog", { name: "New schedule" });
		await dialog.getByLabel("Name").fill("Every Wednesday");
		await dialog.getByLabel("Query").selectOption({ label: QUERY });
		await dialog.getByLabel("How often").selectOption("weekly");
		await dialog.getByLabel("On", { exact: true }).selectOption("2");
		await dialog.getByLabel("At", { exact: true }).fill("07:45");
		await dialog.getByLabel("Time zone").fill("America/New_York");
		await dialog.getByText("Weekly on Wednesday at 07:45 (America/New_York)").waitFor();
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Every Wednesday" }).waitFor();
		await page.getByRole("button", { name: "Run Every Wednesday now" }).click();
		await page.getByRole("region", { name: "Runs of the schedule" }).getByText("Succeeded").waitFor();
		await page.getByRole("link", { name: "Rows" }).first().waitFor();
		await page.getByRole("button", { name: "Pause Every Wednesday" }).click();
		await page.getByText("Paused").first().waitFor();
		await page.getByText("It is paused and runs only when you start it.").waitFor();
		await page.getByRole("button", { name: "More for Every Wednesday" }).click();
		await page.getByRole("menuitem", { name: "Delete" }).click();
		await page.getByRole("button", { name: "Delete the schedule" }).click();
		await page.waitForURL(/\/schedules$/);
		await page.getByText("Every Wednesday").first().waitFor({ state: "detached" });
	});

	it("say what cannot be before it is saved", async () => {
		const page = await web.open("/schedules?new=1");
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("How often").selectOption("once");
		const at = dialog.getByLabel("At", { exact: true });
		await at.fill("2020-01-01 10:00");
		await dialog.getByText(/Must be in the future/).waitFor();
		await at.fill("1/1/2031 10:00 AM");
		await at.blur();
		await dialog.getByText("Write it as 2026-11-29 18:00.").waitFor();
		// The browser's calendar fills in this value.
		await dialog.locator('input[type="datetime-local"]').fill("2031-01-05T10:00");
		await expect.poll(() => at.inputValue()).toBe("2031-01-05 10:00");
		await dialog.getByText("Write it as").waitFor({ state: "detached" });
		await dialog.getByLabel("Time zone").fill("Mars/Olympus");
		await dialog.getByText(/IANA time zone/).waitFor();
	});

	it("show how much each snapshot of their query changed, and lead to it", async () => {
		const page = await web.open(`/schedules/${web.scheduleId}`);
		const bars = page.getByRole("list", { name: "Changes by snapshot" }).getByRole("link");
		await expect.poll(() => bars.count()).toBeGreaterThanOrEqual(3);
		await page
			.getByRole("link", { name: /fab-dc1: .*modified$/ })
			.last()
			.click();
		await page.getByRole("heading", { name: /^Snapshot of/ }).waitFor();
		await page.goBack();
		await page.getByRole("button", { name: "Alert on changes" }).click();
		await page.getByText(/^The check .* (was added|already alerts on changes)\.$/).waitFor();
		const undo = page.getByRole("button", { name: "Undo" });
		if (await undo.isVisible()) await undo.click();
	});

	it("failing ones need attention on the overview", async () => {
		onTestFinished(() => web.lab.faults({ error: false }));
		deleteAfterTest(web.client(), scheduleRoutes, "Weekly bridge domains");
		await web.lab.faults({ error: { on: true, match: "fvBD", status: 400, code: 107, text: "Broken on purpose" } });
		// The seeded one stays as it is for other files.
		const { id } = await web.client().call(scheduleRoutes.create, {
			body: {
				name: "Weekly bridge domains",
				saved_query: await web.copyOfQuery("Broken bridge domains"),
				controller_connection_ids: [web.connectionId],
				frequency: "weekly",
				day_of_week: 0,
				time_of_day: "06:30",
				timezone: "Europe/Paris",
			},
		});
		const params = { id };
		const page = await web.open(`/schedules/${id}`);
		await page.getByRole("button", { name: /^Run .* now$/ }).click();
		await page.getByRole("region", { name: "Runs of the schedule" }).getByText("Failed").waitFor();
		// The schedule counts a run a moment after the run has ended.
		await expect
			.poll(async () => (await web.client().call(scheduleRoutes.detail, { params })).last_run_status)
			.toBe("failed");
		await page.goto("/");
		await page.getByText('Schedule "Weekly bridge domains" failed').waitFor();
	});
});
