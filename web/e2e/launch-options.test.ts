/** Launch options, rollback and comparison in the forms; long lists of the server's templates. */
import {
	authRoutes,
	automationRequestRoutes,
	automationTemplateRoutes,
	connectionRoutes,
	savedQueryRoutes,
} from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { getAutomation } from "./seed-automation.ts";

const ASKS = ["variables", "limit", "tags", "verbosity", "job_type"];

describeInBrowser("launch options", (web) => {
	const { template } = getAutomation(web);
	const addServerTemplate = (body: object) =>
		fetch(`${web.automation.url}/_lab/template`, { method: "POST", body: JSON.stringify(body) });

	it("are set in the template and the request, with rollback, comparison and zone", async () => {
		await addServerTemplate({ id: 90, name: "Asks", playbook: "rows.yml", asks: ASKS });
		// Templates with requests stay: each try has its own.
		const undo = await template({ name: `Remove the ports ${Date.now()}` });
		const made = await template({ name: `Add the ports ${Date.now()}`, automation_job_template_id: 90 });
		const page = await web.open(`/automation/templates/${made.id}`);
		await page.getByLabel("Rollback template").hover();
		await page.getByLabel("Rollback template").selectOption({ label: undo.name });
		await page.getByLabel("Limit", { exact: true }).fill("leaf101");
		await page.getByLabel("Verbosity", { exact: true }).fill("2");
		await page.getByLabel("Requests may set: Limit").check();
		await page.getByLabel("Forks", { exact: true }).fill("5");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("does not ask for forks at launch").waitFor();
		await page.getByLabel("Forks", { exact: true }).fill("");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText(`${made.name} is saved`).waitFor();
		const stored = await web.client().call(automationTemplateRoutes.detail, { params: { id: made.id } });
		expect(stored).toMatchObject({
			rollback_template: undo.id,
			limit: "leaf101",
			verbosity: 2,
			forks: null,
			askable: ["limit"],
		});

		const { results: queries } = await web.client().call(savedQueryRoutes.list, { query: { ordering: "name" } });
		const { results: controllers } = await web.client().call(connectionRoutes.list, { query: {} });
		const profile = await web.client().call(authRoutes.profile);
		const [query, controller] = [queries[0], controllers[0]];
		if (query === undefined || controller === undefined) throw new Error("The seed has queries and controllers.");
		await page.goto(`/automation/requests/new?template=${made.id}`);
		await page.getByLabel("Title").fill("With a limit");
		await page.getByLabel("Target fabric").selectOption(controller.id);
		await page.getByLabel("Compare before and after").selectOption(query.id);
		await page.getByLabel("Limit", { exact: true }).fill("leaf102");
		await page.getByLabel("Launch at").fill("2099-07-01T12:00");
		await page.getByText(`${profile.preferences.timezone}. Empty: launched by hand.`).waitFor();
		await page.getByRole("grid", { name: "Rows of the request" }).getByRole("gridcell").first().click();
		await page.keyboard.type("one");
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Submit", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "With a limit" }).waitFor();
		const id = page.url().split("/").at(-1) ?? "";
		const request = await web.client().call(automationRequestRoutes.detail, { params: { id } });
		expect(request).toMatchObject({ limit: "leaf102", watch_query_id: query.id, target_controller: controller.id });
		const shown = new Intl.DateTimeFormat("sv-SE", {
			timeZone: profile.preferences.timezone,
			dateStyle: "short",
			timeStyle: "short",
		}).format(new Date(request.scheduled_for ?? 0));
		expect(shown).toBe("2099-07-01 12:00");
		await page.getByText("limit: leaf102, verbosity: 2").waitFor();
	});

	it("belong to one of any number of templates of the server, found by search and page", async () => {
		for (let id = 300; id < 420; id++) await addServerTemplate({ id, name: `Bulk ${id}`, asks: ["variables"] });
		await addServerTemplate({ id: 420, name: "Bulk 419", asks: ["variables"] });
		const page = await web.open("/automation/templates");
		await page.getByRole("button", { name: "New template" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "Next" }).click();
		await dialog
			.getByLabel("Template of the server")
			.getByRole("option", { name: "Rows" })
			.waitFor({ state: "attached" });
		await dialog.getByLabel("Search the server's templates").fill("Bulk 419");
		const options = dialog.getByLabel("Template of the server").getByRole("option", { name: "Bulk 419" });
		await expect.poll(() => options.allTextContents()).toHaveLength(2);
		for (const text of await options.allTextContents()) expect(text).toMatch(/^Bulk 419 \(.+, id 4(19|20)\)/);
		await dialog.getByLabel("Template of the server").selectOption("420");
		await dialog.getByRole("button", { name: "Import the survey" }).click();
		await page.waitForURL(/job=420/);
	});
});
