/**
 * Automation. Each thing is made in the browser from the defaults of its form, read again after a
 * reload, and used once:
 *
 * - automation server: is tested
 * - template category: the template is in it
 * - value list, regex pattern and column template: each refuses a wrong cell of the request
 * - template from a survey: yields a request
 * - user of the group Operator: signs in and asks
 * - request: is approved and launched, and its job succeeds
 */
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { chooseOption, describeOnEmptyService, focusByTab, hasFocus, typeInto } from "./empty-service.ts";

const OPERATOR = "olga.operator";
const PASSWORD = "correct horse battery";
/** Typed by the administrator; its user must choose another. */
const GIVEN_PASSWORD = "battery staple horse";

const getProblems = (page: Page) => page.getByRole("region", { name: "Problems" });
/** The form of one column of a template, counted from 1. */
const getColumn = (page: Page, number: number) => page.getByRole("group", { name: `Column ${number}`, exact: true });

describeOnEmptyService("automation on an empty service", (service) => {
	it("needs a server, which is tested as it is saved", async () => {
		const page = service.page();
		const { url, token } = service.world().automation;
		// Rows reach the job as variables, a dry run as its job type: the job template takes both.
		const asks = { id: 16, asks: ["variables", "job_type"] };
		await fetch(`${url}/_lab/template`, { method: "POST", body: JSON.stringify(asks) });
		await page.goto("/settings/automation");
		await page.getByRole("button", { name: "New server" }).first().click();
		const dialog = page.getByRole("dialog");
		await typeInto(dialog.getByLabel("Name"), "awx");
		await typeInto(dialog.getByLabel("Address", { exact: true }), url);
		await typeInto(dialog.getByLabel("Token", { exact: true }), "wrong");
		await dialog.getByRole("button", { name: "Save and test" }).click();
		await dialog.getByRole("alert").waitFor();
		await typeInto(dialog.getByLabel("Token", { exact: true }), token);
		await dialog.getByRole("button", { name: "Save and test" }).click();
		await dialog.getByText("The server is reachable, and the token is accepted.").waitFor();
		await dialog.getByRole("button", { name: "Done" }).click();
		await page.reload();
		await page.getByRole("row", { name: /awx/ }).getByText("Reachable").waitFor();
		await page.getByRole("button", { name: "Edit awx" }).click();
		await expect.poll(() => dialog.getByLabel("Approval of launches").inputValue()).toBe("always");
		await page.keyboard.press("Escape");
	});

	it("has categories, value lists, patterns and columns that templates share", async () => {
		const page = service.page();
		const make = async (address: string, noun: string, name: string, fill?: (drawer: Locator) => Promise<void>) => {
			await page.goto(address);
			await page
				.getByRole("button", { name: `New ${noun}` })
				.first()
				.click();
			const drawer = page.getByRole("dialog", { name: `New ${noun}` });
			await typeInto(drawer.getByLabel("Name").first(), name);
			await fill?.(drawer);
			await drawer.getByRole("button", { name: "Save" }).click();
			await drawer.waitFor({ state: "detached" });
			await page.reload();
			await page.getByRole("button", { name: `Edit ${name}` }).waitFor();
		};
		await make("/settings/categories/templates", "template category", "Onboarding");
		await make("/settings/reference/lists", "value list", "Sites", (drawer) =>
			typeInto(drawer.getByLabel("Values"), "ams\ncdg\n"),
		);
		await make("/settings/reference/patterns", "regex pattern", "Short name", (drawer) =>
			typeInto(drawer.getByLabel("Pattern", { exact: true }), "[a-z]{2,8}"),
		);
		await make("/settings/reference/columns", "column template", "Owner of a row", async (drawer) => {
			const owner = drawer.getByRole("group", { name: "Column", exact: true });
			await typeInto(owner.getByLabel("Name"), "owner");
			await owner.getByLabel("Required").click();
		});
	});

	it("has a template from a survey, with columns that refer to all of these", async () => {
		const page = service.page();
		await page.goto("/automation/templates");
		await page.getByRole("button", { name: "New template" }).first().click();
		const dialog = page.getByRole("dialog");
		await chooseOption(dialog.getByLabel("Template of the server"), "Survey");
		await dialog.getByRole("button", { name: "Import the survey" }).click();
		await page.getByRole("heading", { level: 1, name: "Survey" }).waitFor();
		// The survey's questions are columns, with their rules.
		await expect.poll(() => getColumn(page, 1).getByLabel("Name").inputValue()).toBe("tenant");
		await expect.poll(() => getColumn(page, 3).getByLabel("Type").inputValue()).toBe("enum");
		await chooseOption(getColumn(page, 1).getByLabel("Regex pattern"), "Short name");
		const tried = getColumn(page, 2).getByLabel("Try a value");
		await typeInto(tried, "9999");
		await page.getByText("Must be at most 4094.").waitFor();
		await typeInto(tried, "7");
		await page.getByText("Accepted.").waitFor();
		await page.getByRole("button", { name: "Add a column" }).click();
		await typeInto(getColumn(page, 5).getByLabel("Name"), "");
		await chooseOption(getColumn(page, 5).getByLabel("Value list"), "Sites");
		await page.getByRole("button", { name: "Add a column" }).click();
		await typeInto(getColumn(page, 6).getByLabel("Name"), "owner");
		await chooseOption(getColumn(page, 6).getByLabel("Column template"), "Owner of a row");
		await chooseOption(page.getByLabel("Category"), "Onboarding");
		await page.getByLabel("All users may use it").click();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Must not be empty.").waitFor();
		await typeInto(getColumn(page, 5).getByLabel("Name"), "site");
		await page.getByRole("button", { name: "Add a variable" }).click();
		await typeInto(page.getByLabel("Variable", { exact: true }).last(), "tenant");
		await typeInto(page.getByLabel("Value", { exact: true }).last(), "shop");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Survey is saved").waitFor();
		await page.reload();
		await page.getByText("Onboarding").first().waitFor();
		await page.getByRole("link", { name: "New request" }).waitFor();
	});

	it("has a request whose wrong cells are refused, which is approved and launched", async () => {
		const page = service.page();
		await page.goto("/users");
		await page.getByRole("button", { name: "New user" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New user" });
		await typeInto(drawer.getByLabel("Username"), OPERATOR);
		await typeInto(drawer.getByLabel("Password", { exact: true }), GIVEN_PASSWORD);
		await drawer.getByLabel("Operator").click();
		await drawer.getByRole("button", { name: "Create the user" }).click();
		await page.getByRole("heading", { level: 1, name: OPERATOR }).waitFor();

		const operator = await service.signInFirst(OPERATOR, GIVEN_PASSWORD, PASSWORD);
		await operator.goto("/automation/templates");
		await operator.getByRole("link", { name: "New request with Survey" }).click();
		await typeInto(operator.getByLabel("Title"), "Two tenants");
		await operator.evaluate(
			(text) => navigator.clipboard.writeText(text),
			"tenant\tvlan\tenv\tsite\towner\nSHOP\t110\tprod\tlhr\t\nbank\t111\ttest\tcdg\tada\n",
		);
		const rows = operator.getByRole("grid", { name: "Rows of the request" });
		await focusByTab(rows);
		await operator.keyboard.press("ControlOrMeta+V");
		await operator.getByRole("button", { name: "Use 2 rows" }).click();
		await getProblems(operator).getByText("3 problems").waitFor();
		for (const [place, text] of [
			[/row 1, Tenant/i, "shop"],
			[/row 1, site/, "ams"],
			[/row 1, owner/, "grace"],
		] as const) {
			await getProblems(operator).getByRole("button", { name: place }).click();
			await expect.poll(() => hasFocus(rows)).toBe(true);
			await operator.keyboard.type(text);
			await operator.keyboard.press("Enter");
		}
		await getProblems(operator).getByText("2 rows, no problems").waitFor();
		await operator.getByRole("button", { name: "Submit for approval" }).click();
		await operator.getByRole("heading", { level: 1, name: "Two tenants" }).waitFor();
		await operator.reload();
		await operator.getByRole("table", { name: "Rows" }).getByText("bank").waitFor();

		await page.goto("/automation/requests");
		await page.getByRole("link", { name: "Two tenants" }).click();
		await page.getByRole("button", { name: "Approve" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
		await page.getByText("The request is approved").waitFor();
		await operator.getByRole("button", { name: "Launch the job" }).click();
		await operator.getByRole("dialog").getByRole("button", { name: "Launch the job" }).click();
		await operator.getByRole("region", { name: "Executions" }).getByText("Succeeded").waitFor();
	});
});
