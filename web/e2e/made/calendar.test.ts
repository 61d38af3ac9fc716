/**
 * The calendar, by mouse and keys from an empty service:
 *
 * - a weekly maintenance has its rule beside its words, and the month shows its days
 * - a freeze of all fabrics refuses a launch, which passes with a reason
 * - an entry ends early, and is deleted
 * - a maintenance that is on is shown on the schedule whose alerts it holds
 * - a file is imported, and an address for calendar programs is made and ended
 */
import { expect, it } from "vitest";
import { PASSWORD, USERNAME } from "../world.ts";
import { chooseOption, describeOnEmptyService, makeConnection, openMenuItem, typeInto } from "./empty-service.ts";
import { addPresentEntry } from "./present-entry.ts";

describeOnEmptyService("the calendar on an empty service", (service) => {
	/** Calls the service as the first user, for objects that are only preconditions of a test. */
	async function callService(path: string, body: object): Promise<{ id: string; access: string }> {
		const send = async (to: string, content: object, headers: Record<string, string> = {}) => {
			const answer = await fetch(`${service.url()}${to}`, {
				method: "POST",
				headers: { "content-type": "application/json", ...headers },
				body: JSON.stringify(content),
			});
			expect(answer.status, to).toBeLessThan(300);
			return (await answer.json()) as { id: string; access: string };
		};
		const { access } = await send("/api/auth/login/", { username: USERNAME, password: PASSWORD });
		return send(path, body, { authorization: `Bearer ${access}` });
	}

	it("adds a weekly maintenance, with its rule beside its words", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await page.getByRole("link", { name: "Calendar", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "Calendar" }).waitFor();
		await page.getByText("A freeze refuses changes of fabrics.").waitFor();
		await page.getByRole("button", { name: "New entry" }).first().click();
		const dialog = page.getByRole("dialog", { name: "New entry" });
		await typeInto(dialog.getByLabel("Title"), "Upgrade of the leaves");
		await chooseOption(dialog.getByLabel("Kind"), "Maintenance");
		expect(await dialog.getByText("Choose a fabric, a group, or all fabrics.").count()).toBe(0);
		await dialog.getByRole("button", { name: "Add the entry" }).click();
		await dialog.getByText("Choose a fabric, a group, or all fabrics.").waitFor();
		await dialog.getByLabel("fab-a").click();
		await dialog.getByText("Choose a fabric, a group, or all fabrics.").waitFor({ state: "detached" });
		await chooseOption(dialog.getByLabel("Repeats"), "Every week");
		await dialog.getByLabel("Saturday").click();
		await dialog.getByText("Repeats every week on Saturday.").waitFor();
		await dialog.getByText("RRULE:FREQ=WEEKLY;BYDAY=SA").waitFor();
		await dialog.getByRole("button", { name: "Add the entry" }).click();
		await dialog.waitFor({ state: "detached" });
		const row = page.getByRole("row", { name: /Upgrade of the leaves/ });
		await row.getByText("every week on Saturday").waitFor();
		await row.getByText("fab-a").waitFor();
	});

	it("shows the occurrences of a month, each of which opens its entry", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Month" }).click();
		await page.getByRole("button", { name: "Later month" }).click();
		const occurrences = page.getByRole("button", { name: /Upgrade of the leaves/ });
		await occurrences.first().waitFor();
		await expect.poll(() => occurrences.count()).toBeGreaterThanOrEqual(4);
		await occurrences.first().click();
		const dialog = page.getByRole("dialog", { name: "Upgrade of the leaves" });
		await expect.poll(() => dialog.getByLabel("Saturday").isChecked()).toBe(true);
		await chooseOption(dialog.getByLabel("Repeats"), "By an iCalendar rule");
		await typeInto(dialog.getByLabel("Rule", { exact: true }), "FREQ=HOURLY");
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.getByText(/FREQ must be one of/).waitFor();
		await typeInto(dialog.getByLabel("Rule", { exact: true }), "FREQ=MONTHLY;BYDAY=1SA");
		await dialog.getByText("Repeats every month on the first Saturday.").waitFor();
		await dialog.getByRole("button", { name: "Save" }).click();
		await dialog.waitFor({ state: "detached" });
		await page.getByRole("link", { name: "List" }).click();
		await page.getByText("every month on the first Saturday").waitFor();
	});

	it("refuses a launch during a freeze, and lets it pass with a reason", async () => {
		const page = service.page();
		await addPresentEntry(page, "Freeze", "End of the year");
		await page
			.getByRole("row", { name: /End of the year/ })
			.getByText(/^On until/)
			.waitFor();

		const { url, token } = service.world().automation;
		const server = await callService("/api/automation/connections/", {
			name: "awx",
			base_url: url,
			oauth_token: token,
		});
		const template = await callService("/api/automation/templates/", {
			name: "Rows",
			automation_connection: server.id,
			automation_job_template_id: 22,
			schema: [{ name: "name", field_type: "text", required: true }],
		});
		const request = await callService("/api/automation/requests/", {
			template: template.id,
			title: "VLANs of rack 7",
			input_data: [{ name: "r1" }],
		});
		await page.goto(`/automation/requests/${request.id}`);
		await page.getByRole("button", { name: "Launch the job" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Launch the job" }).click();
		const refusal = page.getByRole("dialog", { name: "A freeze is on" });
		await refusal.getByRole("link", { name: "End of the year" }).waitFor();
		const override = refusal.getByRole("button", { name: "Start during the freeze" });
		expect(await override.isDisabled()).toBe(true);
		await typeInto(refusal.getByLabel("Reason for the exception"), "The rack is down");
		await override.click();
		await refusal.waitFor({ state: "detached" });
		await page.getByText(/Launched during the freeze "End of the year": The rack is down/).waitFor();
	});

	it("ends an entry early, and deletes one", async () => {
		const page = service.page();
		await page.goto("/calendar");
		await openMenuItem(page, "More for End of the year", "End now");
		await page.getByRole("button", { name: "End it now" }).click();
		const row = page.getByRole("row", { name: /End of the year/ });
		await expect.poll(() => row.getByText(/^On until/).count()).toBe(0);
		await openMenuItem(page, "More for End of the year", "Delete");
		await page.getByRole("button", { name: "Delete the entry" }).click();
		await row.waitFor({ state: "detached" });
	});

	it("names a maintenance on the schedule whose alerts it holds", async () => {
		const page = service.page();
		await addPresentEntry(page, "Maintenance", "New power supplies");
		const query = await callService("/api/queries/saved-queries/", {
			name: "Tenants",
			flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
		});
		await page.goto(`/schedules?new=${query.id}`);
		const form = page.getByRole("dialog", { name: "New schedule" });
		await typeInto(form.getByLabel("Name", { exact: true }), "Every morning");
		await expect.poll(() => form.getByLabel("fab-a").isChecked()).toBe(true);
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Every morning" }).waitFor();
		await page.getByText("Alerts are held.").waitFor();
		await page.getByRole("link", { name: "New power supplies" }).click();
		await page.getByRole("dialog", { name: "New power supplies" }).waitFor();
	});

	it("imports a file, names the events that it leaves out, and has an address for calendar programs", async () => {
		const page = service.page();
		await page.goto("/calendar");
		await page.getByRole("button", { name: "Import" }).click();
		const dialog = page.getByRole("dialog", { name: "Import a calendar" });
		await chooseOption(dialog.getByLabel("Kind"), "Maintenance");
		await dialog.getByLabel("fab-a").click();
		const event = ["BEGIN:VEVENT", "UID:a", "SUMMARY:From a file", "DTSTART:20300101T000000Z", "DURATION:PT1H"];
		const bad = ["BEGIN:VEVENT", "UID:b", "SUMMARY:Without an end", "DTSTART:20300101T000000Z", "END:VEVENT"];
		const text = ["BEGIN:VCALENDAR", ...event, "END:VEVENT", ...bad, "END:VCALENDAR"].join("\r\n");
		const file = { name: "a.ics", mimeType: "text/calendar", buffer: Buffer.from(text) };
		await dialog.getByLabel("File").setInputFiles(file);
		await dialog.getByRole("button", { name: "Import" }).click();
		await dialog.getByText("1 entry added, 0 changed.").waitFor();
		await dialog.getByText("Left out: Without an end.").waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await page
			.getByRole("row", { name: /From a file/ })
			.getByText("Imported")
			.waitFor();

		await page.getByRole("button", { name: "Subscribe" }).click();
		const feed = page.getByRole("dialog", { name: "Subscribe to the calendar" });
		await feed.getByRole("button", { name: "Make an address" }).click();
		const address = (await feed.getByText(/\/api\/calendar\/feed\//).textContent()) ?? "";
		const answer = await fetch(address.trim());
		expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"]);
		expect(await answer.text()).toContain("SUMMARY:Maintenance: New power supplies");
		await feed.getByRole("button", { name: "End my address" }).click();
		await feed.waitFor({ state: "detached" });
		expect((await fetch(address.trim())).status).toBe(404);
	});
});
