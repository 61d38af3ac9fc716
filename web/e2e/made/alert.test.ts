/**
 * Alerts on changes by one click, and the pages of notifications and channels.
 *
 * - one click on a query's history makes a check and its schedule, and names their recipients
 * - "Undo" removes both; without a channel to the user the line says that nobody is alerted
 * - a webhook is made and tested among the channels, and its deliveries name their host
 * - addresses of earlier versions lead to these pages
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

describeOnEmptyService("alerts on an empty service", (service) => {
	let receiver: Receiver;
	beforeAll(async () => {
		receiver = await startReceiver();
	});
	afterAll(() => receiver?.close());

	it("makes a check with a schedule by one click on a history, names its recipients, and undoes both", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "All tenants", "fvTenant");
		await page.getByRole("button", { name: "Run on fab-a" }).click();
		await page.getByRole("gridcell").first().waitFor();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
		await page.getByRole("link", { name: "Snapshots", exact: true }).first().click();
		await page.getByRole("link", { name: "All tenants" }).click();

		await page.getByRole("button", { name: "Alert on changes" }).click();
		const line = page.getByRole("status").filter({ hasText: "Changes of All tenants" });
		await line.getByText("A schedule runs the query every 15 minutes.").waitFor();
		await line.getByText(/Alerts go to you in Weft/).waitFor();
		await line.getByRole("button", { name: "Undo" }).click();
		await line.waitFor({ state: "detached" });
		await page.goto("/checks");
		await page.getByRole("heading", { level: 1, name: "Checks" }).waitFor();
		await page.getByText("A check says what the rows").waitFor();
		await page.goto("/schedules");
		await page.getByText("A schedule runs a saved query once").waitFor();
	});

	it("names the check that is there already, and leads to its form", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Snapshots", exact: true }).first().click();
		await page.getByRole("link", { name: "All tenants" }).click();
		await page.getByRole("button", { name: "Alert on changes" }).click();
		const line = page.getByRole("status").filter({ hasText: "Changes of All tenants" });
		await line.getByText(/was added/).waitFor();
		await page.reload();
		await page.getByRole("button", { name: "Alert on changes" }).click();
		await line.getByText(/already alerts on changes/).waitFor();
		expect(await line.getByRole("button", { name: "Undo" }).count()).toBe(0);
		await line.getByRole("link", { name: "Edit" }).click();
		await page.getByRole("heading", { level: 1, name: /Changes of All tenants/ }).waitFor();
		expect(await page.getByLabel("Type").inputValue()).toBe("unchanged");
	});

	it("says that nobody gets the alerts if the user has no channel that is on", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Notifications", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "My notifications" }).waitFor();
		await page.getByLabel("Check alerts and schedules here").click();
		await expect.poll(() => page.getByLabel("Check alerts and schedules here").isChecked()).toBe(false);
		await page.getByRole("link", { name: "Snapshots", exact: true }).first().click();
		await page.getByRole("link", { name: "All tenants" }).click();
		await page.getByRole("button", { name: "Alert on changes" }).click();
		await page.getByText("Its alerts have no recipients.").waitFor();
		await page.getByRole("link", { name: "Choose how you are notified" }).click();
		await page.getByRole("heading", { level: 1, name: "My notifications" }).waitFor();
	});

	it("makes and tests a webhook among the channels, and lists its deliveries", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Channels" }).click();
		await page.getByText("has no mail address.").waitFor();
		await page.getByRole("button", { name: "New webhook" }).first().click();
		const hook = page.getByRole("dialog", { name: "New webhook" });
		await typeInto(hook.getByLabel("Name"), "On-call");
		await typeInto(hook.getByLabel("Address", { exact: true }), `${receiver.url}hook`);
		await typeInto(hook.getByLabel("Secret", { exact: true }), "0123456789abcdef");
		await hook.getByLabel("Check alerts and schedules").waitFor();
		await hook.getByRole("button", { name: "Save" }).click();
		await hook.waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Send a test to On-call" }).click();
		await page.getByText(/Delivered: 204 after/).waitFor();
		await page.getByRole("button", { name: "Deliveries of On-call" }).click();
		const dialog = page.getByRole("dialog", { name: "Deliveries of On-call" });
		await dialog.getByText(/^POST requests to/).waitFor();
		await page.keyboard.press("Escape");
	});

	it("redirects addresses of earlier versions to notifications and channels", async () => {
		const page = service.page();
		await page.goto("/settings/webhooks?edit=new");
		await page.getByRole("dialog", { name: "New webhook" }).waitFor();
		expect(new URL(page.url()).pathname).toBe("/settings/notifications/channels");
		await page.keyboard.press("Escape");
		await page.goto("/me/notifications");
		await page.getByRole("heading", { level: 1, name: "My notifications" }).waitFor();
		expect(new URL(page.url()).pathname).toBe("/settings/notifications");
	});
});
