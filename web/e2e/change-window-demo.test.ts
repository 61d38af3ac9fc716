/**
 * The page "Before and after a change" from a fresh demo: its two windows, and the listed clicks
 * that lead to a signed report.
 */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { DEMO_MS, type Demo, startDemo } from "./demo-service.ts";

const TITLE = "Bridge domains for the web shop";
const DECLARED = "uni/tn-Retail-01/BD-bd-shop-**";
/** As the page lists them. */
const CLICKS = [
	"Use ada",
	"Change windows",
	"New change window",
	"Save",
	"Expect a change",
	"Add",
	"Plan it",
	"Start",
	"Requests",
	TITLE,
	"Approve",
	"Approve",
	"Launch the job",
	"Launch the job",
	"Change windows",
	TITLE,
	"Finish",
	"Sign",
	"Sign",
	"Report",
	"Page that prints (HTML)",
];

describeInBrowser("the change windows of a fresh demo", (web) => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await startDemo();
	}, DEMO_MS);
	afterAll(() => demo?.close());

	/** The page of a person, and the names of everything that was clicked on it. */
	async function openRecorded() {
		const page = await web.open(`${demo.url}/login`, { signedIn: false });
		const clicks: string[] = [];
		const click = async (target: Locator, name: string) => {
			await target.click();
			clicks.push(name);
		};
		const press = (name: string, within: Page | Locator = page) =>
			click(within.getByRole("button", { name, exact: true }).first(), name);
		const follow = (name: string, within: Page | Locator = page) =>
			click(within.getByRole("link", { name, exact: true }).first(), name);
		const openPlace = (name: string) => follow(name, page.getByRole("navigation", { name: "Main" }));
		await press("Use ada");
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		return { page, clicks, click, press, follow, openPlace };
	}

	it("show a signed one that passed with the approved rows as its declaration", async () => {
		const { page, follow, openPlace } = await openRecorded();
		await openPlace("Change windows");
		await follow("Bridge domains for the warehouse");
		await page.getByText("Passed.").waitFor();
		await page.getByText("signed it").waitFor();
		const findings = page.getByRole("region", { name: "Findings" });
		for (const object of ["BD-bd-dock", "BD-bd-yard"]) await findings.getByText(object).first().waitFor();
		expect(await findings.getByText("Not declared", { exact: true }).count()).toBe(0);
		expect(await page.getByText("from approved rows").count()).toBe(4);
	});

	it("show one that failed by a change of a person who does not do the work", async () => {
		const { page, follow, openPlace } = await openRecorded();
		await openPlace("Change windows");
		await follow("Bridge domains for the parcel service");
		await page.getByText("Failed.").waitFor();
		const findings = page.getByRole("region", { name: "Findings" });
		const stray = findings.getByRole("row").filter({ hasText: "uni/tn-Retail-01/BD-bd-dock" });
		for (const text of ["Not declared", "mara", "by another user", "arpFlood"])
			await stray.getByText(text).first().waitFor();
		expect(await findings.getByText("Not declared", { exact: true }).count()).toBe(1);
		await page.getByRole("button", { name: "Sign", exact: true }).waitFor();
	});

	it("take the approved rows of a request as their expectations by clicks", async () => {
		const { page, press, openPlace } = await openRecorded();
		await openPlace("Change windows");
		await press("New change window");
		const form = page.getByRole("dialog", { name: "New change window" });
		await form.getByLabel("Title").fill("The warehouse again");
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		await press("Save", form);
		await page.getByRole("heading", { level: 1, name: "The warehouse again" }).waitFor();
		await press("Import");
		const dialog = page.getByRole("dialog", { name: "Import expectations" });
		await dialog.getByLabel("Source").selectOption({ label: "Approved rows of a request" });
		const request = dialog.getByRole("option", { name: /^Bridge domains for the warehouse/ });
		await request.waitFor({ state: "attached" });
		await dialog.getByLabel("Request").selectOption({ label: (await request.first().textContent()) ?? "" });
		await press("Add", dialog);
		await page.getByText("4 expectations are added.").waitFor();
		await expect.poll(() => page.getByText("from approved rows").count()).toBe(4);
		for (const object of ["BD-bd-dock", "BD-bd-yard"]) await page.getByText(object).first().waitFor();
	});

	it("lead to a signed report by the clicks that the page lists", async () => {
		const { page, clicks, click, press, follow, openPlace } = await openRecorded();
		await openPlace("Change windows");
		await press("New change window");
		const form = page.getByRole("dialog", { name: "New change window" });
		await form.getByLabel("Title").fill(TITLE);
		await form.getByLabel("Ticket").fill("CHG0031500");
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		await form.getByLabel("Implementers").fill("automation");
		await press("Save", form);
		await page.getByRole("heading", { level: 1, name: TITLE }).waitFor();
		await press("Expect a change");
		const declaration = page.getByRole("dialog", { name: "Expect a change" });
		await declaration.getByLabel("Distinguished name").fill(DECLARED);
		await press("Add", declaration);
		await page.getByText(DECLARED, { exact: true }).waitFor();
		await press("Plan it");
		await press("Start");
		await page.getByText("Open", { exact: true }).waitFor();

		await openPlace("Requests");
		await follow(TITLE);
		for (const verb of ["Approve", "Launch the job"]) {
			await press(verb);
			await press(verb, page.getByRole("dialog"));
		}
		await page.getByText("Succeeded").first().waitFor();

		await openPlace("Change windows");
		await follow(TITLE);
		await press("Finish");
		await page.getByText("Passed.").waitFor();
		await press("Sign");
		await press("Sign", page.getByRole("dialog"));
		await page.getByText("Closed", { exact: true }).waitFor();
		await press("Report");
		const saved = page.waitForEvent("download");
		const format = "Page that prints (HTML)";
		await click(page.getByRole("menuitem", { name: format }), format);
		const download = await saved;
		expect(download.suggestedFilename()).toBe("CHG0031500.html");
		const report = await readFile(await download.path(), "utf8");
		for (const text of [TITLE, "BD-bd-shop-web", "BD-bd-shop-db"]) expect(report).toContain(text);
		expect(report).toMatch(/[Ss]igned[\s\S]*ada/);
		expect(clicks).toEqual(CLICKS);
	});
});
