/**
 * Automation. Each thing is made in the browser from the defaults of its form, read again after a
 * reload, and used once:
 *
 * - automation server: is tested
 * - template category: the template is in it
 * - value list, regex pattern and column template: each refuses a wrong cell of the request
 * - template from a survey: yields a request
 * - user of the group Operator: signs in and asks
 * - request: is made from pasted rows, sent back, submitted again, approved and launched; its
 *   failed row becomes a request of its own; DNs of its history lead to their objects
 * - change plan of a request: the job waits for its change window, which ends with the job
 */
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import {
	chooseOption,
	describeOnEmptyService,
	hasFocus,
	makeConnection,
	makeQuery,
	pasteRows,
	typeInto,
} from "./empty-service.ts";

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
		await page.getByRole("button", { name: "Add a column" }).click();
		await typeInto(getColumn(page, 7).getByLabel("Name"), "rc");
		await chooseOption(getColumn(page, 7).getByLabel("Type"), "Number");
		await page.getByRole("region", { name: "Preview of the rows" }).getByText("rc").waitFor();
		await page
			.getByRole("region", { name: "Variables of the job" })
			.getByText(/"rc": 1\b/)
			.waitFor();
		await chooseOption(page.getByLabel("Category"), "Onboarding");
		await page.getByLabel("All users may use it").click();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Must not be empty.").waitFor();
		await typeInto(getColumn(page, 5).getByLabel("Name"), "site");
		await page.getByRole("button", { name: "Add a variable" }).click();
		await typeInto(page.getByLabel("Variable", { exact: true }).last(), "tenant");
		await typeInto(page.getByLabel("Value", { exact: true }).last(), "shop");
		// The form is longer than the window, and Save stays in view.
		await page.getByRole("button", { name: "Add a variable" }).scrollIntoViewIfNeeded();
		const place = await page.getByRole("button", { name: "Save" }).boundingBox();
		expect(place?.y ?? -1).toBeGreaterThanOrEqual(0);
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Survey is saved").waitFor();
		await page.reload();
		await page.getByText("Onboarding").first().waitFor();
		await page.getByRole("link", { name: "New request" }).waitFor();
	});

	it("moves columns of a template by a drag and by keys, and keeps their order", async () => {
		const page = service.page();
		const listNames = async () => {
			const names = page.getByRole("group", { name: /^Column \d$/ }).getByLabel("Name");
			return Promise.all((await names.all()).map((name) => name.inputValue()));
		};
		const getHandle = (name: string) => page.getByRole("button", { name: `Drag ${name}, or press Alt` });
		const before = ["tenant", "vlan", "env", "sec", "site", "owner", "rc"];
		await expect.poll(listNames).toEqual(before);

		await getHandle("rc").scrollIntoViewIfNeeded();
		const from = await getHandle("rc").boundingBox();
		if (from === null) throw new Error("The handle is not drawn.");
		const x = from.x + from.width / 2;
		await page.mouse.move(x, from.y + from.height / 2);
		await page.mouse.down();
		// The form scrolls while the pointer rests at its upper end.
		await page.mouse.move(x, 300, { steps: 5 });
		await page.mouse.move(x, 90, { steps: 5 });
		const readTop = async () => (await getColumn(page, 2).boundingBox())?.y ?? -1;
		await expect.poll(readTop).toBeGreaterThan(160);
		await page.mouse.move(x, 450, { steps: 5 });
		const target = await getColumn(page, 2).boundingBox();
		if (target === null) throw new Error("The second column is not drawn.");
		await page.mouse.move(x, target.y + 8, { steps: 5 });
		await page.mouse.up();
		await expect.poll(listNames).toEqual(["tenant", "rc", "vlan", "env", "sec", "site", "owner"]);
		await page.getByText("rc is column 2 of 7.").waitFor({ state: "attached" });

		await expect.poll(() => hasFocus(getHandle("rc"))).toBe(true);
		await page.keyboard.press("Alt+ArrowDown");
		await page.keyboard.press("Alt+ArrowDown");
		await page.keyboard.press("Alt+ArrowUp");
		const after = ["tenant", "vlan", "rc", "env", "sec", "site", "owner"];
		await expect.poll(listNames).toEqual(after);
		await expect.poll(() => hasFocus(getHandle("rc"))).toBe(true);
		const heads = page.getByRole("region", { name: "Preview of the rows" }).getByRole("columnheader");
		expect((await heads.allTextContents()).findIndex((text) => text.includes("rc"))).toBe(2);
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Survey is saved").waitFor();
		await page.reload();
		await expect.poll(listNames).toEqual(after);
	});

	it("keeps changes of a template that were not saved when its page is left", async () => {
		const page = service.page();
		await typeInto(page.getByLabel("Description"), "One tenant for each row");
		await page.getByText("Unsaved changes").waitFor();
		await page.getByRole("link", { name: "Templates", exact: true }).first().click();
		await page.getByText("Unsaved input is kept.").waitFor();
		await page.getByRole("link", { name: "Survey", exact: true }).first().click();
		await page.getByText(/was restored/).waitFor();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Survey is saved").waitFor();
	});

	it("sends a request back, approves and launches its correction, and repeats its failed row", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world(), (form) =>
			chooseOption(form.getByLabel("For", { exact: true }), "The whole team"),
		);
		await page.goto("/users");
		await page.getByRole("button", { name: "New user" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New user" });
		await typeInto(drawer.getByLabel("Username"), OPERATOR);
		await typeInto(drawer.getByLabel("Password", { exact: true }), GIVEN_PASSWORD);
		await drawer.getByLabel("Operator").click();
		await drawer.getByRole("button", { name: "Create the user" }).click();
		await page.getByRole("heading", { level: 1, name: OPERATOR }).waitFor();

		const operator = await service.signInFirst(OPERATOR, GIVEN_PASSWORD, PASSWORD);
		await operator.goto("/automation/requests");
		await operator.getByRole("link", { name: "New request" }).click();
		const choice = operator.getByRole("row", { name: /Survey/ });
		await choice.getByText("One tenant for each row").waitFor();
		await choice.getByText("Everyone").waitFor();
		await choice.getByText("Every approver").waitFor();
		await choice.getByRole("link", { name: "Survey", exact: true }).first().click();
		await typeInto(operator.getByLabel("Title"), "Two tenants");
		const headings = "Tenant\tvlan\tENV\tsite\towner\trc\tticket\n";
		await pasteRows(operator, `${headings}SHOP\t110\tprod\tlhr\t\t0\tCHG1\nbank\t111\ttest\tcdg\tada\t1\tCHG2\n`);
		const rows = operator.getByRole("grid", { name: "Rows of the request" });
		await operator.getByText("Left out: ticket.").waitFor();
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

		// From any page: the notifications, then the request.
		await page
			.getByRole("link", { name: /^Notifications:/ })
			.first()
			.click();
		await page
			.getByRole("listitem")
			.filter({ hasText: '"Two tenants" waits for approval' })
			.getByRole("link", { name: "Open" })
			.click();
		const job = page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: "Job to launch" }) });
		await job.getByText("rows.yml").waitFor();
		await job.getByText("tenant: shop").waitFor();
		await typeInto(page.getByLabel("Comment"), "Why the bank, and not uni/tn-common?");
		await page.getByRole("button", { name: "Add comment" }).click();
		const history = page.getByRole("list", { name: "History" });
		await history.getByText("Why the bank").waitFor();
		const address = page.url();
		await history.getByRole("link", { name: "uni/tn-common", exact: true }).click();
		await page.waitForURL(/\/objects\?/);
		await page.getByRole("button", { name: "Read from the controller" }).click();
		await page.getByRole("heading", { level: 1, name: "common" }).waitFor();
		await page.goBack();
		await page.waitForURL(address);
		await page.getByRole("button", { name: "Request changes" }).click();
		await typeInto(page.getByRole("dialog").getByLabel("Wanted changes"), "The VLAN of the bank is 112.");
		await page.getByRole("dialog").getByRole("button", { name: "Request changes" }).click();
		await page.getByText(/^Changes requested by/).waitFor();

		await operator.getByRole("link", { name: "Edit and submit again" }).click();
		await rows.getByRole("gridcell", { name: "111" }).click();
		await operator.keyboard.type("112");
		await operator.keyboard.press("Enter");
		await rows.getByRole("gridcell", { name: "ada" }).click();
		await operator.keyboard.type("uni/tn-common");
		await operator.keyboard.press("Enter");
		await getProblems(operator).getByText("2 rows, no problems").waitFor();
		await operator.getByRole("button", { name: "Submit again" }).click();
		const changed = operator.getByRole("list", { name: "History" }).getByRole("list", { name: "Changes" });
		await changed.getByText("before 111").waitFor();
		await changed.getByText("now 112").waitFor();

		await page.getByRole("heading", { level: 2, name: /^Changes since version 1/ }).waitFor();
		await history.getByRole("list", { name: "Changes" }).getByRole("link").filter({ hasText: "uni/tn-common" }).click();
		await page.waitForURL(/\/objects\?.*dn=uni/);
		await page.goBack();
		await page.waitForURL(address);
		await page.getByRole("button", { name: "Approve" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
		await page.getByText("The request is approved").waitFor();
		await operator.getByRole("button", { name: "Launch the job" }).click();
		await operator.getByRole("dialog").getByRole("button", { name: "Launch the job" }).click();
		await operator.getByRole("region", { name: "Executions" }).getByText("1 row changed, 1 failed").waitFor();
		const ended = operator.getByRole("list", { name: "History" }).getByRole("listitem").last();
		await ended.getByText("1 row changed, 1 failed").waitFor();
		await operator.getByRole("button", { name: "New request with 1 failed row" }).click();
		await operator.getByRole("heading", { level: 1, name: "Failed rows of Two tenants" }).waitFor();
		await operator.getByRole("table", { name: "Rows" }).getByText("bank").waitFor();
		expect(await operator.getByRole("table", { name: "Rows" }).getByText("shop", { exact: true }).count()).toBe(0);
		await operator
			.getByRole("list", { name: "History" })
			.getByRole("link", { name: "Two tenants", exact: true })
			.waitFor();
	});

	it("launches the job of a request with a change plan in a window, which ends with the job", async () => {
		const page = service.page();
		await makeQuery(page, "All domains", "fvBD", (dialog) => dialog.getByLabel("Shared").click());
		await page.goto("/change-plans");
		await page.getByRole("button", { name: "New plan" }).first().click();
		const plan = page.getByRole("dialog", { name: "New change plan" });
		await typeInto(plan.getByLabel("Name"), "Nothing else changes");
		await plan.getByLabel("Add a query or a check").selectOption({ label: "All domains" });
		await plan.getByLabel("Everybody may use it").click();
		for (const [label, seconds] of [
			["Delay, in seconds", "0"],
			["Interval, in seconds", "1"],
			["Equal rounds", "1"],
			["Timeout, in seconds", "30"],
		] as const)
			await typeInto(plan.getByLabel(label), seconds);
		await plan.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "Nothing else changes", exact: true }).waitFor();

		const operator = await service.signIn(OPERATOR, PASSWORD);
		await operator.goto("/automation/requests");
		await operator.getByRole("link", { name: "New request" }).click();
		await operator.getByRole("link", { name: "Survey", exact: true }).first().click();
		await typeInto(operator.getByLabel("Title"), "A tenant in a window");
		await chooseOption(operator.getByLabel("Target fabric"), "fab-a");
		const details = operator.getByText("Description, schedule, credential, change plan and launch options");
		if (!(await operator.getByLabel("Change plan").isVisible())) await details.click();
		await chooseOption(operator.getByLabel("Change plan"), "Nothing else changes");
		await pasteRows(operator, "Tenant\tvlan\tENV\tsite\towner\trc\nshop\t110\tprod\tams\tada\t0\n");
		await getProblems(operator).getByText("1 row, no problems").waitFor();
		await operator.getByRole("button", { name: "Submit for approval" }).click();
		await operator.getByRole("heading", { level: 1, name: "A tenant in a window" }).waitFor();

		await page.goto("/automation/requests");
		await page.getByRole("link", { name: "A tenant in a window" }).first().click();
		await page.getByText("Nothing else changes, revision 1").waitFor();
		await page.getByRole("button", { name: "Approve" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
		await page.getByText("The request is approved").waitFor();
		await operator.getByRole("button", { name: "Launch the job" }).click();
		await operator.getByRole("dialog").getByRole("button", { name: "Launch the job" }).click();
		await operator.getByRole("region", { name: "Executions" }).getByText("1 row changed").waitFor();

		await operator.getByRole("link", { name: "Open the change window" }).first().click();
		await operator.getByRole("heading", { level: 1, name: "A tenant in a window" }).waitFor();
		await operator.getByText("Passed.").waitFor();
		await operator.getByText("Its last job has ended.").waitFor();
	});

	it("offers the rows of approved requests as expectations, and refuses those that declare nothing", async () => {
		const operator = await service.signIn(OPERATOR, PASSWORD);
		await operator.goto("/change-windows");
		await operator.getByRole("button", { name: "New change window" }).first().click();
		const form = operator.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "A tenant by hand");
		await form.getByLabel("Plan").selectOption({ label: "Nothing else changes" });
		await form.getByRole("button", { name: "Save" }).click();
		await operator.getByRole("button", { name: "Import" }).click();
		const dialog = operator.getByRole("dialog", { name: "Import expectations" });
		await chooseOption(dialog.getByLabel("Source"), "Approved rows");
		await chooseOption(dialog.getByLabel("Request"), "A tenant in a window (1 row");
		await dialog.getByRole("button", { name: "Add" }).click();
		await dialog.getByText("The template does not say what its rows change.").waitFor();
	});

	it("takes the allowed values of a column from a query, and shows the column's own message for any other", async () => {
		const page = service.page();
		await page.goto("/automation/templates");
		await page.getByRole("link", { name: "Survey", exact: true }).first().click();
		const column = getColumn(page, 1);
		// The survey gave it lengths, so the folded fields are open.
		await expect.poll(() => column.getByLabel("Maximum length").inputValue()).toBe("8");
		await chooseOption(column.getByLabel("Values from the query"), "All domains");
		await chooseOption(column.getByLabel("On the fabric"), "fab-a");
		await typeInto(column.getByLabel("Message for an invalid cell"), "No such bridge domain");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Survey is saved").waitFor();
		await page.reload();
		await expect.poll(() => column.getByLabel("Attribute with the values").inputValue()).toBe("name");
		await page.getByRole("link", { name: "New request" }).click();
		await pasteRows(page, "Tenant\tvlan\tENV\nnowhere\t110\tprod\n");
		await getProblems(page).getByText("No such bridge domain").waitFor();
	});
});
