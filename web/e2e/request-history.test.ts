/** Requests that are corrected: changes requested, comments, earlier versions, and used again. */
import { type AutomationRequestDetail, automationRequestRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { getAutomation } from "./seed-automation.ts";

const getPanel = (page: Page, name: string) =>
	page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name }) });

describeInBrowser("the history of a request", (web) => {
	const { template, request } = getAutomation(web);
	const read = (id: string): Promise<AutomationRequestDetail> =>
		web.client().call(automationRequestRoutes.detail, { params: { id } });

	it("leads from requested changes over a corrected version to the approval", async () => {
		const { id: templateId } = await template({ requires_approval: true, variable_mappings: { site: "east" } });
		const { client, refresh } = await web.user("history.rita", ["Operator"]);
		const { id } = await request(client, templateId, "Two tenants to correct");

		const approver = await web.open(`/automation/requests/${id}`);
		const job = getPanel(approver, "Job to launch");
		await job.getByText("awx-lab").waitFor();
		await job.getByText(/\.yml$/).waitFor();
		await job.getByText("site: east").waitFor();
		const comments = getPanel(approver, "History and comments");
		await comments.getByLabel("Comment").fill("Why two of them?");
		await comments.getByRole("button", { name: "Add comment" }).click();
		await comments.getByRole("listitem").getByText("Why two of them?").waitFor();
		await approver.getByRole("button", { name: "Request changes" }).click();
		const dialog = approver.getByRole("dialog");
		await dialog.getByLabel("Wanted changes").fill("One is enough.");
		await dialog.getByRole("button", { name: "Request changes" }).click();
		await approver.getByText(/^Changes requested by ada\.lovelace/).waitFor();

		const page = await web.open(`/automation/requests/${id}`, { as: refresh });
		await page.getByText("One is enough. Edit the request to correct it").waitFor();
		await page.getByRole("link", { name: "Edit and submit again" }).click();
		const grid = page.getByRole("grid", { name: "Rows of the request" });
		await grid.getByRole("gridcell", { name: "two" }).click();
		await page.getByRole("button", { name: "Delete the selected rows" }).click();
		await page.getByText("1 row, no problems").waitFor();
		await page.getByRole("button", { name: "Submit again" }).click();
		await page.getByText(/^Waiting for every approver \(.+\)/).waitFor();
		const history = page.getByRole("list", { name: "History" });
		await history
			.getByText(/^row 2/)
			.first()
			.waitFor();
		await history.getByRole("button", { name: "Open version 1" }).click();
		const version = page.getByRole("dialog", { name: "Version 1" });
		await version.getByRole("table", { name: "Rows" }).getByText("two").waitFor();
		await version.getByRole("button", { name: "Close", exact: true }).last().click();
		expect(await read(id)).toMatchObject({ status: "awaiting_approval", version: 2, row_count: 1 });

		await approver.reload();
		const changes = getPanel(approver, "Changes since version 1, which ada.lovelace sent back");
		await changes.getByText("− Removed").waitFor();
		await approver.getByRole("button", { name: "Approve" }).click();
		await approver.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
		await approver.getByText(/^Approved by ada\.lovelace/).waitFor();
		const { rows_digest } = await read(id);
		await approver
			.getByRole("list", { name: "History" })
			.getByText(rows_digest?.slice(0, 12) ?? "")
			.waitFor();
		expect((await read(id)).status).toBe("approved");
	});

	it("is no hindrance to using any request again", async () => {
		const { id: templateId } = await template({ requires_approval: true });
		const { client, refresh } = await web.user("ulla", ["Operator"]);
		const { id } = await request(client, templateId, "To use again");
		await web.client().call(automationRequestRoutes.reject, { params: { id }, body: { reason: "no" } });
		const page = await web.open(`/automation/requests/${id}`, { as: refresh });
		await page.getByRole("button", { name: "Use again" }).click();
		await page.getByRole("heading", { level: 1, name: "Copy of To use again" }).waitFor();
		const made = page.url().split("/").at(-1) ?? "";
		expect(await read(made)).toMatchObject({ status: "awaiting_approval", row_count: 2, version: 1 });
	});
});
