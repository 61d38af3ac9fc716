/**
 * The interface in Firefox, through WebDriver BiDi: every screen without an error, and a query with
 * the keyboard. Skipped where there is none; WEFT_TEST_FIREFOX sets its path.
 */
import { existsSync } from "node:fs";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "../browser.ts";
import { PLACES } from "../places.ts";
import { PASSWORD, USERNAME } from "../world.ts";

const PATHS = [process.env.WEFT_TEST_FIREFOX ?? "", "/usr/bin/firefox-esr", "/usr/bin/firefox"];
const executablePath = PATHS.find((path) => path !== "" && existsSync(path));
if (executablePath === undefined)
	process.stderr.write("\nThe tests in Firefox are skipped: there is none (Debian: apt-get install firefox-esr).\n\n");

const PATIENCE_MS = 60_000;

describeInBrowser("in Firefox", (web) => {
	let browser: Browser;
	let page: Page;
	const complaints: string[] = [];
	beforeAll(async () => {
		if (executablePath === undefined) return;
		browser = await puppeteer.launch({ browser: "firefox", executablePath });
		page = await browser.newPage();
		page.setDefaultTimeout(PATIENCE_MS);
		page.setDefaultNavigationTimeout(PATIENCE_MS);
		await page.setViewport({ width: 1440, height: 900 });
		page.on("console", (message) => {
			if (message.type() === "error") complaints.push(`${page.url()}: ${message.text()}`);
		});
		page.on("pageerror", (error) => complaints.push(`${page.url()}: ${String(error)}`));
	});
	afterAll(async () => browser?.close());

	const shows = (text: string) => page.waitForSelector(`::-p-text(${text})`);
	const press = async (...keys: Parameters<Page["keyboard"]["press"]>[0][]) => {
		for (const key of keys) await page.keyboard.press(key);
	};

	it.skipIf(executablePath === undefined)("a user signs in by keyboard, and is where they wanted to go", async () => {
		await page.goto(`${web.url}/builder`);
		await page.waitForSelector("input[name=username], input[autocomplete=username]");
		await page.keyboard.type(USERNAME);
		await press("Tab");
		await page.keyboard.type(PASSWORD);
		await press("Enter");
		await shows("New query");
		await shows("Add node");
		expect(complaints.splice(0)).toEqual([]);
	});

	it.skipIf(executablePath === undefined).each(PLACES.filter(({ signedOut }) => !signedOut))(
		"$name is shown without an error",
		async ({ path }) => {
			await page.goto(web.url + path(web));
			await page.waitForFunction(
				() => document.querySelector("h1") !== null && document.querySelector(".skeleton") === null,
			);
			// Leaving a page that still loads a part of itself is an error in Firefox.
			await page.waitForNetworkIdle({ idleTime: 150 });
			expect(complaints.splice(0)).toEqual([]);
		},
	);

	// The last one: the browser asks before an unsaved query is left.
	it.skipIf(executablePath === undefined)("a user takes a query to its rows by keyboard", async () => {
		await page.goto(`${web.url}/builder`);
		await shows("Add node");
		await press("a");
		await page.waitForSelector("dialog[open] input");
		await page.keyboard.type("fvTenant");
		await page.waitForSelector("[role=option]");
		await press("Enter");
		await shows("GET /api/class/fvTenant.json");
		await page.keyboard.down("Control");
		await press("Enter");
		await page.keyboard.up("Control");
		await shows("Succeeded");
		await page.waitForSelector("[role=gridcell]");
		expect(complaints.splice(0)).toEqual([]);
	});
});
