/** Data and defaults: retention with its preview, what schedules start with. */
import { savedQueryRoutes, scheduleRoutes, timeMachineRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser, type Web } from "./browser.ts";

/** A person with snapshots of one query, the oldest first. */
async function collector(web: Web, username: string, snapshots: number) {
	const { client, refresh } = await web.user(username);
	const { id } = await client.call(savedQueryRoutes.create, {
		body: { name: `Collected by ${username}`, flow_data: { nodes: [], edges: [] }, enable_time_machine: true },
	});
	for (let index = 0; index < snapshots; index++)
		await client.call(timeMachineRoutes.capture, {
			body: {
				saved_query_id: id,
				controller_connection_id: web.connectionId,
				result_data: { imdata: [{ fvTenant: { attributes: { dn: "uni/tn-a", descr: String(index) } } }] },
			},
		});
	return { client, refresh, id };
}

const region = (page: Page, name: string) => page.getByRole("region", { name }).last();

inBrowser("settings", (web) => {
	it("of retention show what they would delete before they are saved, and delete it when asked", async () => {
		const { client, refresh } = await collector(web, "keeper", 4);
		const page = await web.open("/", { as: refresh });
		await page.getByRole("link", { name: "Data and defaults" }).click();
		await page.getByRole("heading", { level: 1, name: "Retention" }).waitFor();
		await page.getByText("No snapshot has expired.").waitFor();
		const now = page.getByRole("button", { name: "Delete now" });
		await expect.poll(() => now.getAttribute("aria-disabled")).toBe("true");

		await page.getByLabel("Keep them").selectOption("count");
		await page.getByLabel("Snapshots", { exact: true }).fill("1");
		await page.getByText("By the rules as they are in the form.").waitFor();
		await page.getByText("3 snapshots", { exact: true }).waitFor();
		await region(page, "Expired snapshots").getByText("Collected by keeper").first().waitFor();
		await expect.poll(() => now.getAttribute("aria-disabled")).toBe("true");
		expect((await client.call(timeMachineRoutes.settings)).retention_policy).toBe("days");

		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByText("The retention settings are saved").waitFor();
		await now.click();
		const dialog = page.getByRole("dialog", { name: "Delete 3 snapshots?" });
		await dialog.getByText(/Those with a label or an annotation stay/).waitFor();
		await dialog.getByRole("button", { name: "Delete 3 snapshots" }).click();
		await page.getByText("Deleted 3 snapshots.").waitFor();
		await page.getByText("No snapshot has expired.").waitFor();
	});

	it("of retention keep labelled snapshots unless asked, and are limited to one query", async () => {
		const { client, refresh, id } = await collector(web, "labeller", 3);
		const { snapshots } = await client.call(timeMachineRoutes.list, { query: { saved_query_id: id } });
		const params = { id: snapshots.at(-1)?.id ?? "" };
		await client.call(timeMachineRoutes.annotate, { params, body: { label: "baseline" } });
		await client.call(timeMachineRoutes.updateSettings, { body: { retention_policy: "count", retention_count: 1 } });
		const page = await web.open("/settings/retention", { as: refresh });
		await page.getByText("1 snapshot", { exact: true }).waitFor();
		await page.getByLabel("Also with a label or an annotation").check();
		await page.getByText("2 snapshots", { exact: true }).waitFor();
		await page.getByLabel("Of the query").selectOption({ label: "Collected by labeller" });
		await page.getByText("2 snapshots", { exact: true }).waitFor();
		await page.getByLabel("Keep them").selectOption("unlimited");
		await page.getByText("Nothing expires: snapshots are kept without limit.").waitFor();
	});

	it("are not left with unsaved changes unnoticed", async () => {
		const { refresh } = await collector(web, "leaver.of.forms", 0);
		const page = await web.open("/settings/retention", { as: refresh });
		const days = page.getByLabel("Days", { exact: true });
		await days.fill("12");
		await page.getByRole("link", { name: "Schedule defaults" }).click();
		const question = page.getByRole("dialog", { name: "Leave without saving?" });
		await question.getByRole("button", { name: "Cancel" }).click();
		await question.waitFor({ state: "detached" });
		expect(await days.inputValue()).toBe("12");
		await page.getByRole("link", { name: "Schedule defaults" }).click();
		await question.getByRole("button", { name: "Discard the changes" }).click();
		await page.getByRole("heading", { level: 1, name: "Schedule defaults" }).waitFor();
	});

	it("show the service's messages at their fields", async () => {
		const page = await web.open("/settings/retention");
		await page.route("**/api/time-machine/settings/", async (call) => {
			if (call.request().method() !== "PUT") return call.continue();
			await call.fulfill({ status: 400, json: { retention_days: ["Must not be a Friday."] } });
		});
		const days = page.getByLabel("Days", { exact: true });
		await days.fill("13");
		await page.keyboard.press("Enter");
		await page.getByText("Must not be a Friday.").waitFor();
		expect(await days.getAttribute("aria-invalid")).toBe("true");
		await days.fill("");
		expect(await days.evaluate((input: HTMLInputElement) => input.checkValidity())).toBe(false);
		await page.getByRole("button", { name: "Discard" }).click();
		await expect.poll(() => page.getByRole("button", { name: "Discard" }).count()).toBe(0);
	});

	it("of schedules are for administrators, and new schedules begin with them", async () => {
		const before = await web.client().call(scheduleRoutes.settings);
		const page = await web.open("/settings/tasks");
		await page.getByLabel("Retention of runs, in days").fill("45");
		await page.getByLabel("Sender").fill("nobody");
		const sender = page.getByLabel("Sender");
		expect(await sender.evaluate((input: HTMLInputElement) => input.checkValidity())).toBe(false);
		await sender.fill("weft@fabric.example");
		await page.keyboard.press("Enter");
		await page.getByText("The schedule defaults are saved").waitFor();
		const after = await web.client().call(scheduleRoutes.settings);
		expect(after).toEqual({
			...before,
			default_log_retention_days: 45,
			email_from_address: "weft@fabric.example",
		});

		await page.goto("/schedules?new=1");
		const drawer = page.getByRole("dialog", { name: "New schedule" });
		await drawer.getByLabel("Name").fill("By the defaults");
		await drawer.getByLabel("Query").selectOption({ index: 1 });
		await drawer.getByRole("button", { name: "Save" }).click();
		await page.getByText(/^By the defaults: /).waitFor();
		const { results } = await web.client().call(scheduleRoutes.list, { query: { search: "By the defaults" } });
		expect(results.map(({ log_retention_days }) => log_retention_days)).toEqual([45]);
		await web.client().call(scheduleRoutes.remove, { params: { id: results[0]?.id ?? "" } });
		const { id: _, ...body } = before;
		await web.client().call(scheduleRoutes.changeSettings, { body });

		const { refresh } = await web.user("plain.scheduler");
		const other = await web.open("/settings/tasks", { as: refresh });
		await other.getByText("Only administrators change these defaults.").waitFor();
		await expect.poll(() => other.getByLabel("Maximum retries").isDisabled()).toBe(true);
		expect(await other.getByRole("button", { name: "Save" }).count()).toBe(0);
	});
});
