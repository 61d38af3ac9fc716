/**
 * README's "Your own fabric in five minutes", as a new user walks it: from an empty service, with
 * the mouse, the keyboard and the forms' defaults. Nothing is prepared through the API.
 */
import type { Locator, Page, Response } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInOwnBrowser } from "./in-own-browser.ts";
import { startWorld, type World } from "./world.ts";

const QUERY = "Bridge domains";

describeInOwnBrowser("a new user with a fabric", (getBrowser) => {
	let world: World;
	let page: Page;
	/** Errors of the program that occurred anywhere on the walk. */
	const complaints: string[] = [];

	beforeAll(async () => {
		world = await startWorld({ WEFT_ADMIN_USERNAME: undefined, WEFT_ADMIN_PASSWORD: undefined });
		page = await getBrowser().newPage({ viewport: { width: 1440, height: 900 }, baseURL: world.url });
		page.setDefaultTimeout(60_000);
		page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
		page.on("console", (message) => {
			// The browser itself notes each answer that is no success; the pages say what it means.
			const isNote = message.text().startsWith("Failed to load resource");
			if (message.type() === "error" && !isNote) complaints.push(message.text());
		});
	});
	afterAll(() => world?.close());

	const press = (name: string | RegExp, within: Page | Locator = page) =>
		within.getByRole("button", { name }).first().click();
	const follow = (name: string) => page.getByRole("link", { name, exact: true }).first().click();
	const waitForHeading = (name: string | RegExp) => page.getByRole("heading", { name }).waitFor();
	const typeInto = async (label: string, text: string) => {
		await page.getByLabel(label, { exact: true }).click();
		await page.keyboard.type(text);
	};
	const getDialog = () => page.getByRole("dialog");

	async function runQuery(): Promise<void> {
		const results = page.getByRole("region", { name: "Results" });
		const link = results.getByRole("link", { name: "Open the run" });
		// A draft answers 201 and a saved query 202.
		const isStart = (answer: Response) => answer.request().method() === "POST" && [201, 202].includes(answer.status());
		const started = page.waitForResponse(isStart);
		await press("Run on fab-1");
		// The results of the run before stay until this one has its own.
		const { id } = (await (await started).json()) as { id: string };
		await expect.poll(() => link.getAttribute("href")).toContain(id);
		await results.getByText("Succeeded").waitFor();
		await results.getByText("20 rows").first().waitFor();
	}

	it("signs in with the password that the first start prints", async () => {
		await page.goto("/");
		await typeInto("Username", "admin");
		await typeInto("Password", world.printedPassword ?? "");
		await press("Sign in");
		await waitForHeading("Overview");
		await page.getByText("Nothing has run yet").waitFor();
	});

	it("connects the fabric and tests it", async () => {
		await follow("Add a fabric and test it");
		await waitForHeading("New connection");
		await page.keyboard.type("fab-1");
		await typeInto("Address", world.lab.url);
		await typeInto("User", world.lab.username);
		await typeInto("Password", world.lab.password);
		await press("Save and test");
		await getDialog().getByText("Signed in to the controller, version 6.0(9c).").waitFor();
		await press("Done");
		await page.getByRole("row").filter({ hasText: "fab-1" }).getByText("Reachable").waitFor();
	});

	it("draws a query, runs it, saves it and finds it after a reload", async () => {
		await follow("Builder");
		for (const name of ["fvTenant", "fvBD"]) {
			await press("Add node");
			await page.keyboard.type(name);
			await page.getByRole("option").filter({ hasText: name }).first().click();
			await page.locator(".react-flow__node").filter({ hasText: name }).waitFor();
		}
		await runQuery();
		await press(/^Save/);
		await waitForHeading("Save as a new query");
		await page.keyboard.type(QUERY);
		await press("Save", getDialog());
		await waitForHeading(QUERY);
		await page.reload();
		await waitForHeading(QUERY);
		await page.locator(".react-flow__node").filter({ hasText: "fvBD" }).waitFor();
	});

	it("runs the query before and after the fabric changes, and compares the snapshots", async () => {
		await runQuery();
		// The network changes outside the browser.
		const change = { method: "POST", body: JSON.stringify({ steps: 1, change_rate: 0.2 }) };
		expect((await fetch(`${world.lab.url}/_lab/advance`, change)).status).toBe(200);
		await runQuery();
		await follow("Snapshots");
		await follow(QUERY);
		await page.getByRole("link", { name: /^Compare / }).click();
		await waitForHeading(/ compared with /);
		await page
			.getByText(/^[~+−] [1-9]\d* (modified|added|deleted)$/)
			.first()
			.waitFor();
	});

	it("puts the query on a schedule, and the schedule runs it", async () => {
		await follow("Schedules");
		await press("New schedule");
		await waitForHeading("New schedule");
		await page.keyboard.type("Every morning");
		await page.getByLabel("Query", { exact: true }).selectOption({ label: QUERY });
		await press("Save", getDialog());
		await waitForHeading("Every morning");
		await page.reload();
		await page.getByText("Daily at 06:00").first().waitFor();
		await press(/^Run .* now/);
		await page.getByText("1 of 1 succeeded").waitFor();
	});

	it("expects something of the rows, and the check fails with them as evidence", async () => {
		await follow("Checks");
		await press("New check");
		await waitForHeading("New check");
		await typeInto("Name", "No bridge domains");
		await page.getByLabel("Query", { exact: true }).selectOption({ label: QUERY });
		await press(/^Save/);
		await waitForHeading("No bridge domains");
		await page.reload();
		await press(/^Evaluate now/);
		await page.getByText("Failing").first().waitFor();
	});

	it("meets no error of the program on the way", () => {
		expect(complaints).toEqual([]);
	});
});
