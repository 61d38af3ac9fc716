/**
 * Things that watch a fabric. Each is made in the browser from the defaults of its form, read again
 * after a reload, and used once:
 *
 * - schedule: runs its query
 * - duplicate of a schedule: runs its query
 * - label and note of a snapshot: are in the history
 * - ignored attributes: a comparison leaves them out
 * - webhook: receives a test and an alert, is switched off and deleted
 * - check: evaluates, fails and alerts
 * - acknowledgement and mute of a check: are with its state
 * - check from a template: evaluates
 * - notification preferences and quiet hours: are as they were chosen
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import {
	chooseOption,
	describeOnEmptyService,
	makeConnection,
	makeQuery,
	openMenuItem,
	typeInto,
} from "./empty-service.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

describeOnEmptyService("what watches a fabric on an empty service", (service) => {
	let receiver: Receiver;
	beforeAll(async () => {
		receiver = await startReceiver();
	});
	afterAll(() => receiver?.close());

	it("is a schedule that runs a query, and a copy of it", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "Tenants", "fvTenant");
		await page.goto("/schedules");
		await page.getByRole("button", { name: "New schedule" }).first().click();
		const form = page.getByRole("dialog", { name: "New schedule" });
		await typeInto(form.getByLabel("Name"), "Every morning");
		await chooseOption(form.getByLabel("Query"), "Tenants");
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Every morning" }).waitFor();
		await page.reload();
		await page
			.getByText(/Daily at 06:00/)
			.first()
			.waitFor();
		await page.getByRole("button", { name: "Run Every morning now" }).click();
		await page.getByRole("region", { name: "Runs of the schedule" }).getByText("Succeeded").waitFor();

		service.world().lab.advance({ steps: 3, change_rate: 0.5 });
		await openMenuItem(page, "More for Every morning", "Duplicate");
		await page.getByRole("heading", { level: 1, name: /^Every morning ./ }).waitFor();
		await page.reload();
		await page.getByRole("button", { name: /^Run Every morning .* now$/ }).click();
		await page.getByRole("region", { name: "Runs of the schedule" }).getByText("Succeeded").waitFor();
	});

	it("is a snapshot with a label and a note, which its history shows", async () => {
		const page = service.page();
		await page.goto("/time-machine");
		await page.getByRole("link", { name: "Tenants" }).click();
		await page
			.getByRole("button", { name: /^Label the snapshot/ })
			.first()
			.click();
		await page.keyboard.type("before the change");
		await typeInto(page.getByLabel("Note"), "Asked for by the board");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		await page.reload();
		await page.getByText("before the change").waitFor();
	});

	it("is a list of attributes that comparisons leave out", async () => {
		const page = service.page();
		await page
			.getByRole("radio", { name: /Compare from/ })
			.last()
			.click();
		await page.getByRole("link", { name: /^Compare/ }).click();
		await page.getByRole("region", { name: "Differences" }).waitFor();
		await page.getByRole("button", { name: "Attributes that I hide" }).click();
		const attributes = page.getByRole("textbox", { name: "Hidden attributes" });
		await typeInto(attributes, "modTs descr");
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		await page.reload();
		await page.getByRole("button", { name: "Attributes that I hide" }).click();
		expect(await attributes.inputValue()).toBe("modTs\ndescr");
		await page.keyboard.press("Escape");
	});

	it("is a webhook, whose receiver gets a test", async () => {
		const page = service.page();
		await page.goto("/settings/notifications/channels");
		await page.getByRole("button", { name: "New webhook" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New webhook" });
		await typeInto(drawer.getByLabel("Name"), "On-call");
		await typeInto(drawer.getByLabel("Address", { exact: true }), "ftp://nowhere");
		await typeInto(drawer.getByLabel("Secret", { exact: true }), "0123456789abcdef");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.getByText("Must be an http or https address").waitFor();
		await typeInto(drawer.getByLabel("Address", { exact: true }), `${receiver.url}hook`);
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		await page.reload();
		await page.getByText("Not used yet").waitFor();
		await page.getByRole("button", { name: "Send a test to On-call" }).click();
		await page.getByText(/Delivered: 204 after/).waitFor();
		expect(receiver.received).toHaveLength(1);
	});

	it("is a check that fails, alerts the webhook, and is acknowledged and muted", async () => {
		const page = service.page();
		await page.goto("/checks");
		await page.getByRole("button", { name: "New check" }).first().click();
		await typeInto(page.getByLabel("Name", { exact: true }), "No tenant at all");
		await chooseOption(page.getByLabel("Query", { exact: true }), "Tenants");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "No tenant at all" }).waitFor();
		await page.reload();
		await page.getByText("Fails when the query returns any row.").waitFor();
		await page.getByRole("button", { name: "Evaluate now" }).click();
		const states = page.getByRole("region", { name: "States of the check" });
		await states.getByText("Failing").waitFor();
		await expect.poll(() => receiver.received.some((body) => body.includes("No tenant at all"))).toBe(true);

		await page.getByRole("button", { name: "Acknowledge" }).first().click();
		const acknowledge = page.getByRole("dialog", { name: "Acknowledge No tenant at all" });
		await acknowledge.getByRole("button", { name: "Acknowledge" }).click();
		await acknowledge.waitFor({ state: "detached" });
		await openMenuItem(page, "More about this check", "Mute");
		const mute = page.getByRole("dialog", { name: "Mute No tenant at all" });
		await mute.getByRole("button", { name: "Mute" }).click();
		await mute.waitFor({ state: "detached" });
		await page.reload();
		await states.getByText(/^Acknowledged by/).waitFor({ state: "attached" });
		await states.getByText("Muted until").waitFor({ state: "attached" });
	});

	it("is a check of the library, which evaluates", async () => {
		const page = service.page();
		await page.goto("/checks/templates");
		await page.getByRole("list", { name: "Templates" }).waitFor();
		await page.getByRole("button", { name: "Add this check" }).first().click();
		const install = page.getByRole("dialog", { name: /^Add this check/ });
		const name = ((await install.getByRole("heading").textContent()) ?? "").replace(/^Add this check: /, "");
		await install.getByRole("button", { name: "Add", exact: true }).click();
		await page.getByRole("heading", { level: 1, name }).waitFor();
		await page.reload();
		await page.getByRole("button", { name: "Evaluate now" }).click();
		const states = page.getByRole("region", { name: "States of the check" });
		await states
			.getByText(/^(Failing|OK)$/)
			.first()
			.waitFor();
	});

	it("is a webhook that is switched off and deleted", async () => {
		const page = service.page();
		await page.goto("/settings/notifications/channels");
		await page.getByText(/^Delivered/).waitFor();
		await page.getByRole("button", { name: "Edit On-call" }).click();
		await page.getByRole("dialog").getByLabel("Enabled").click();
		await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
		await page.getByText("Off", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Delete On-call" }).click();
		await page.getByRole("button", { name: "Delete the webhook" }).click();
		await page.getByText("A webhook sends notifications").waitFor();
	});

	it("notifies a user by mail as the preferences say, and holds mails back during quiet hours", async () => {
		const page = service.page();
		await page.goto("/settings/notifications");
		const schedules = page.getByLabel("Check alerts and schedules by mail");
		await schedules.waitFor();
		if (!(await page.getByLabel("Notify me by mail").isChecked())) await page.getByLabel("Notify me by mail").click();
		await expect.poll(() => schedules.isEnabled()).toBe(true);
		const before = await schedules.isChecked();
		await schedules.click();
		await page.getByRole("button", { name: "Enable quiet hours" }).click();
		await page.getByText("From 22:00 to 07:00").waitFor();
		await page.reload();
		await page.getByText("From 22:00 to 07:00").waitFor();
		expect(await schedules.isChecked()).toBe(!before);
		await page.getByRole("button", { name: "No quiet hours" }).click();
		await page.getByRole("button", { name: "Enable quiet hours" }).waitFor();
	});
});
