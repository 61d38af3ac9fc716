/**
 * Watching by clicks: each time one dialog makes query, check, schedule and recipients.
 *
 * - template: an uplink that goes down
 * - question of the gallery: alerts a person and a webhook with three objects
 * - check that nobody runs: gets a schedule and recipients, from its page and from the list
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import { chooseOption, describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const GIVEN = "battery staple horse";
const CHOSEN = "correct horse battery-changed";
const PERSON = "uma.watcher";

describeOnEmptyService("a check that watches, on an empty service", (service) => {
	let receiver: Receiver;
	beforeAll(async () => {
		receiver = await startReceiver();
	});
	afterAll(() => receiver?.close());

	it("finds a check by a synonym, and adds it with a schedule and recipients in one dialog", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await page.goto("/checks/templates");
		await typeInto(page.getByLabel("Filter templates"), "interface down");
		const name = "No uplink between leaf and spine is down";
		await page.getByRole("button", { name: `Add this check: ${name}` }).click();
		const dialog = page.getByRole("dialog", { name: `Add this check: ${name}` });
		await dialog.getByLabel("fab-a").click();
		await dialog.getByText("You are always notified.").waitFor();
		await dialog.getByRole("button", { name: "Add", exact: true }).click();
		await page.getByRole("heading", { level: 1, name }).waitFor();
		const states = page.getByRole("region", { name: "States of the check" });
		await states
			.getByText(/^(Failing|Pending|OK)$/)
			.first()
			.waitFor();
		await page.getByText("No schedule runs this check's query.").waitFor({ state: "detached" });
		await page.goto("/schedules");
		await page
			.getByText(/Every 15 minutes/)
			.first()
			.waitFor();
	});

	it("watches a question every hour, and alerts a person and a webhook with three objects", async () => {
		const page = service.page();
		await page.goto("/users");
		await page.getByRole("button", { name: "New user" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New user" });
		await typeInto(drawer.getByLabel("Username"), PERSON);
		await typeInto(drawer.getByLabel("Password", { exact: true }), GIVEN);
		await drawer.getByLabel("Admin").click();
		await drawer.getByRole("button", { name: "Create the user" }).click();
		await page.getByRole("heading", { level: 1, name: PERSON }).waitFor();
		await page.goto("/settings/notifications/channels");
		await page.getByRole("button", { name: "New webhook" }).first().click();
		const hook = page.getByRole("dialog", { name: "New webhook" });
		await typeInto(hook.getByLabel("Name"), "On-call");
		await typeInto(hook.getByLabel("Address", { exact: true }), `${receiver.url}hook`);
		await typeInto(hook.getByLabel("Secret", { exact: true }), "0123456789abcdef");
		await hook.getByRole("button", { name: "Save" }).click();
		await hook.waitFor({ state: "detached" });

		await page.goto("/gallery");
		await page.getByRole("button", { name: "Which switches are there?", exact: true }).click();
		await page.getByRole("button", { name: "Watch this" }).click();
		const dialog = page.getByRole("dialog", { name: "Watch this" });
		await typeInto(dialog.getByLabel("Name", { exact: true }), "Every switch");
		await chooseOption(dialog.getByLabel("How often"), "Every hour");
		await dialog.getByLabel("fab-a").click();
		await dialog.getByLabel("On-call").click();
		await dialog.getByLabel(PERSON).click();
		await typeInto(dialog.getByLabel("Mail addresses"), "noc@elsewhere.example.org");
		expect(await findViolations(page)).toEqual([]);
		await page.setViewportSize({ width: 390, height: 844 });
		expect(await findViolations(page)).toEqual([]);
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
		expect(await dialog.locator("[data-body]").evaluate((body) => body.scrollWidth - body.clientWidth)).toBe(0);
		await page.setViewportSize({ width: 1440, height: 900 });
		await dialog.getByRole("button", { name: "Watch", exact: true }).click();
		await dialog.getByText(/^No user has noc@elsewhere.example.org/).waitFor();
		await typeInto(dialog.getByLabel("Mail addresses"), " ");
		await dialog.getByRole("button", { name: "Watch", exact: true }).click();

		await page.getByRole("heading", { level: 1, name: "Every switch" }).waitFor();
		await page.getByText("Fails when the query returns any row.").waitFor();
		const states = page.getByRole("region", { name: "States of the check" });
		await states.getByText("Failing").waitFor();
		await page.getByText("No schedule runs this check's query.").waitFor({ state: "detached" });
		await expect.poll(() => receiver.received.find((body) => body.includes("Every switch"))).toBeDefined();
		const { data } = JSON.parse(receiver.received.find((body) => body.includes("Every switch")) ?? "{}");
		expect(data.objects.map(({ kind }: { kind: string }) => kind)).toEqual([
			"check",
			...Array(3).fill("managed_object"),
		]);
		expect(data.body.match(/^- /gm)).toHaveLength(4);
		const other = await service.signInFirst(PERSON, GIVEN, CHOSEN);
		await other.goto("/notifications");
		await other.getByText('Check "Every switch" is failing on fab-a').first().waitFor();
	});

	it("makes checks whole that nobody runs, from their page and from the list", async () => {
		const page = service.page();
		await makeQuery(page, "Tenants", "fvTenant");
		for (const name of ["No tenant at all", "No other tenant"]) {
			await page.goto("/checks");
			await page.getByRole("button", { name: "New check" }).first().click();
			await typeInto(page.getByLabel("Name", { exact: true }), name);
			await chooseOption(page.getByLabel("Query", { exact: true }), "Tenants");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByRole("heading", { level: 1, name }).waitFor();
		}
		await page.getByText("No schedule runs this check's query.").waitFor();
		await page.getByRole("button", { name: "Watch this check" }).waitFor();
		await page.goto("/checks");
		await page.getByText("Not watched").first().waitFor();
		await page.getByRole("button", { name: "Watch this check: No tenant at all" }).click();
		const dialog = page.getByRole("dialog", { name: "Watch this check: No tenant at all" });
		await dialog.getByText("Fails when the query returns any row.").waitFor();
		await chooseOption(dialog.getByLabel("How often"), "Every hour");
		await dialog.getByLabel("On-call").click();
		expect(await findViolations(page)).toEqual([]);
		await dialog.getByRole("button", { name: "Watch", exact: true }).click();
		await dialog.waitFor({ state: "detached" });
		// The schedule runs the query of both.
		await page.getByText("Not watched").first().waitFor({ state: "detached" });
		await expect
			.poll(() => receiver.received.some((body) => body.includes('No tenant at all\\" is failing')))
			.toBe(true);
		await page.getByRole("link", { name: "No tenant at all", exact: true }).click();
		await page.getByRole("link", { name: "No tenant at all", exact: true }).first().waitFor();
		await page.reload();
		await page.getByRole("button", { name: "Edit" }).click();
		await expect.poll(() => page.getByLabel("On-call").isChecked()).toBe(true);
		expect(await findViolations(page)).toEqual([]);
	});
});
