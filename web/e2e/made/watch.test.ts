/** "Report an uplink that goes down": one dialog makes query, check, schedule and recipients. */
import { it } from "vitest";
import { describeOnEmptyService, makeConnection, typeInto } from "./empty-service.ts";

describeOnEmptyService("a check that watches, on an empty service", (service) => {
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
});
