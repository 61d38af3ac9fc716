/** Requests later: changed, launched at their time, retried, rolled back; nodes of a workflow. */
import { type AutomationRequestDetail, automationRequestRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { getAutomation } from "./seed-automation.ts";

/** Two nodes, one after another, each a job with output. */
const WORKFLOW = 17;
/** Fails the row where it is not 0. */
const FAILS = 1;

describeInBrowser("automation requests", (web) => {
	const { template, request } = getAutomation(web);
	const read = (id: string): Promise<AutomationRequestDetail> =>
		web.client().call(automationRequestRoutes.detail, { params: { id } });
	const become = (id: string, status: string) => expect.poll(async () => (await read(id)).status).toBe(status);

	it("are changed by their requester, in the version that was read", async () => {
		const { id: templateId } = await template({ requires_approval: true });
		const { client, refresh } = await web.user("edith", ["Operator"]);
		const { id } = await request(client, templateId, "Two tenants", { check_mode: true, description: "For the shop" });
		const page = await web.open(`/automation/requests/${id}`, { as: refresh });
		await page.getByRole("link", { name: "Edit" }).click();
		const grid = page.getByRole("grid", { name: "Rows of the request" });
		await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Two tenants");
		await expect.poll(() => page.getByLabel("Description").inputValue()).toBe("For the shop");
		await expect.poll(() => page.getByLabel("Dry run").isChecked()).toBe(true);
		await page.getByLabel("Title").fill("One tenant");
		await grid.getByRole("gridcell", { name: "two" }).click();
		await page.getByRole("button", { name: "Delete the selected rows" }).click();
		await page.getByText("1 row, no problems").waitFor();
		await page.getByRole("button", { name: "Save and submit for approval" }).click();
		await page.getByRole("heading", { level: 1, name: "One tenant" }).waitFor();
		const changed = await read(id);
		expect(changed).toMatchObject({ title: "One tenant", check_mode: true, status: "awaiting_approval" });
		expect(changed.input_data).toEqual([{ name: "one" }]);

		await page.getByRole("link", { name: "Edit" }).click();
		await page.getByLabel("Title").fill("Lost tenant");
		await client.call(automationRequestRoutes.update, { params: { id }, body: { title: "Changed elsewhere" } });
		await page.getByRole("button", { name: "Save and submit for approval" }).click();
		await page.getByText("Changed elsewhere since you opened it.").waitFor();
		expect((await read(id)).title).toBe("Changed elsewhere");
		await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Lost tenant");
	});

	it("are launched at their time by themselves", async () => {
		const { id: templateId } = await template();
		const { refresh } = await web.user("tim", ["Operator"]);
		const page = await web.open(`/automation/requests/new?template=${templateId}`, { as: refresh });
		await page.getByLabel("Title").fill("At its time");
		await page.getByRole("grid", { name: "Rows of the request" }).getByRole("gridcell").first().click();
		await page.keyboard.type("night");
		await page.keyboard.press("Enter");
		await page.getByText("Description, schedule, credential, change plan and launch options").click();
		// The clock of the zone that the field names, with seconds, a little ahead.
		const hint = (await page.getByText("Empty: launched by hand.").textContent()) ?? "";
		const [timeZone = ""] = hint.split(". ");
		const options = { timeZone, dateStyle: "short", timeStyle: "medium" } as const;
		const soon = new Intl.DateTimeFormat("sv-SE", options).format(Date.now() + 8_000).replace(" ", "T");
		await page.getByLabel("Launch at").fill(soon);
		await page.getByRole("button", { name: "Submit", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "At its time" }).waitFor();
		await page.getByText("Scheduled for").waitFor();
		const id = page.url().split("/").at(-1) ?? "";
		expect((await read(id)).scheduled_for).not.toBeNull();
		await page.getByRole("link", { name: /^Job \d+/ }).waitFor();
		await become(id, "successful");
	});

	it("are retried after they failed, and rolled back after they ended", async () => {
		const undo = await template({ name: "Remove tenants", requires_approval: true });
		const { id: templateId } = await template({ rollback_template: undo.id });
		const { client, refresh } = await web.user("rolf", ["Operator"]);
		const { id } = await request(client, templateId, "Half of it", {
			input_data: [{ name: "one" }, { name: "two", rc: FAILS }],
		});
		await client.call(automationRequestRoutes.execute, { params: { id } });
		const page = await web.open(`/automation/requests/${id}`, { as: refresh });
		await page.getByRole("button", { name: "Run again (all 2 rows)" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByText("This changes the network.").waitFor();
		await dialog.getByRole("button", { name: "Launch the job" }).click();
		await page.getByRole("region", { name: "Executions" }).getByRole("link").nth(1).waitFor();
		await become(id, "failed");
		await page.getByRole("button", { name: "Roll back" }).click();
		await dialog.getByRole("button", { name: "Request the rollback" }).click();
		await page.getByRole("heading", { level: 1, name: "Rollback of Half of it" }).waitFor();
		await page.getByText(/^Waiting for every approver/).waitFor();
		expect(await read(page.url().split("/").at(-1) ?? "")).toMatchObject({
			rollback_of: id,
			template: undo.id,
			row_count: 2,
		});
	});

	it("show each node of a workflow with the output of its job", async () => {
		const { id: templateId } = await template({ kind: "workflow", automation_job_template_id: WORKFLOW });
		const { client, refresh } = await web.user("wanda", ["Operator"]);
		const { id } = await request(client, templateId, "In two steps");
		await client.call(automationRequestRoutes.execute, { params: { id } });
		await become(id, "successful");
		const page = await web.open(`/automation/requests/${id}`, { as: refresh });
		await page.getByRole("link", { name: /^Job \d+/ }).click();
		const drawing = page.getByRole("region", { name: "Drawing of the workflow" });
		await drawing.getByRole("link").nth(1).getByText("Succeeded").waitFor();
		const nodes = page.getByRole("region", { name: "Workflow nodes" });
		await nodes.getByRole("link").first().click();
		await page
			.getByRole("region", { name: "Output" })
			.getByText(/PLAY \[/)
			.waitFor();
		const [download] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("button", { name: "Download the output" }).click(),
		]);
		expect(download.suggestedFilename()).toMatch(/^job-\d+\.txt$/);
		await page.reload();
		await page
			.getByRole("region", { name: "Output" })
			.getByText(/PLAY \[/)
			.waitFor();
		await page.getByRole("link", { name: "All nodes" }).click();
		await nodes.getByRole("link").nth(1).waitFor();
	});
});
