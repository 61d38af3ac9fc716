/** Tests that make things by mouse and keys alone, each file on a service that starts empty. */
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { getService } from "../browser.ts";
import { BROWSER_OPTIONS } from "../find-browser.ts";
import { PASSWORD, startWorld, USERNAME, type World } from "../world.ts";

/** Upper bound for a condition on a busy machine, in milliseconds. */
const PATIENCE_MS = Number(process.env.WEFT_TEST_PATIENCE ?? 60_000);
/** Upper bound for the keys that `focusByTab` presses. */
const MOST_TABS = 40;
/** Folder for pictures of the pages of a failed test. */
const SHOTS = process.env.WEFT_TEST_SHOTS;

export interface EmptyService {
	/** Address of the service. */
	url(): string;
	world(): World;
	/** The page of the first user, which stays open from one test to the next. */
	page(): Page;
	/** A page in a browser profile of its own, where no user is signed in. It lasts for one test. */
	openPage(path: string): Promise<Page>;
	/** Such a page of a person who signs in by typing. */
	signIn(username: string, password: string): Promise<Page>;
	/** The first time, with the password that an administrator gave; the person chooses another. */
	signInFirst(username: string, given: string, chosen: string): Promise<Page>;
}

/**
 * Describes the tests of one file. They build on one another, so none is tried a second time.
 * Skipped where there is no browser.
 */
export function describeOnEmptyService(name: string, tests: (service: EmptyService) => void): void {
	const context = getService();
	describe.skipIf(context === null)(name, { retry: 0 }, () => {
		let world: World;
		let browser: Browser;
		let page: Page;
		const profiles: BrowserContext[] = [];
		const complaints: string[] = [];

		async function openPage(path: string): Promise<Page> {
			const profile = await browser.newContext({
				viewport: { width: 1440, height: 900 },
				reducedMotion: "reduce",
				baseURL: world.url,
				timezoneId: "Europe/Paris",
				permissions: ["clipboard-read", "clipboard-write"],
			});
			profiles.push(profile);
			profile.setDefaultTimeout(PATIENCE_MS);
			const opened = await profile.newPage();
			watchPage(opened, complaints);
			await opened.goto(path);
			return opened;
		}
		async function typePassword(username: string, password: string): Promise<Page> {
			const opened = await openPage("/");
			await typeInto(opened.getByLabel("Username"), username);
			await typeInto(opened.getByLabel("Password", { exact: true }), password);
			await opened.keyboard.press("Enter");
			return opened;
		}

		async function signIn(username: string, password: string): Promise<Page> {
			const opened = await typePassword(username, password);
			await opened.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
			return opened;
		}

		async function signInFirst(username: string, given: string, chosen: string): Promise<Page> {
			const opened = await typePassword(username, given);
			await typeInto(opened.getByLabel("Present password"), given);
			await typeInto(opened.getByLabel("New password", { exact: true }), chosen);
			await opened.getByRole("button", { name: "Change the password" }).click();
			await opened.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
			return opened;
		}

		beforeAll(async () => {
			world = await startWorld();
			const executablePath = context?.browser ?? "";
			browser = await chromium.launch({ executablePath, ...BROWSER_OPTIONS, timeout: PATIENCE_MS * 2 });
			page = await signIn(USERNAME, PASSWORD);
		});
		afterAll(async () => {
			await browser?.close();
			await world?.close();
		});
		afterEach(async ({ task }) => {
			const shots = task.result?.state === "fail" ? SHOTS : undefined;
			if (shots !== undefined)
				for (const [index, profile] of profiles.entries()) {
					const path = join(shots, `${task.name.replace(/\W+/g, "-").slice(0, 60)}-${index}.png`);
					await profile.pages().at(-1)?.screenshot({ path });
				}
			for (const profile of profiles.splice(1)) await profile.close();
			const failed = await page.getByText(/^This (page|part of the page) failed/).allTextContents();
			expect([...complaints.splice(0), ...failed]).toEqual([]);
		});

		tests({ url: () => world.url, world: () => world, page: () => page, openPage, signIn, signInFirst });
	});
}

/** Collects what must not occur on any page: errors on the console, and requests to elsewhere. */
function watchPage(page: Page, complaints: string[]): void {
	page.on("console", (message) => {
		// The browser itself notes each answer that is no success; the pages say what it means.
		const isNote = message.text().startsWith("Failed to load resource");
		if (message.type() === "error" && !isNote) complaints.push(`${page.url()}: ${message.text()}`);
	});
	page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
}

/** Clicks a field and replaces its content by keys. */
export async function typeInto(field: Locator, text: string): Promise<void> {
	const { keyboard } = field.page();
	await field.click();
	await keyboard.press("ControlOrMeta+A");
	await keyboard.press("Delete");
	await keyboard.type(text);
}

/** Opens a list of options by a click and chooses one by the beginning of its label. */
export async function chooseOption(field: Locator, label: string): Promise<void> {
	const { keyboard } = field.page();
	await expect.poll(() => field.getByRole("option", { name: label }).count()).toBeGreaterThan(0);
	await field.click();
	await keyboard.type(label);
	await keyboard.press("Enter");
	await expect
		.poll(() => field.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text ?? ""))
		.toContain(label);
}

/** Makes a connection to the simulated fabric by its form, which begins with its defaults. */
export async function makeConnection(
	page: Page,
	name: string,
	{ lab }: Pick<World, "lab">,
	choose: (dialog: Locator) => Promise<void> = async () => {},
): Promise<void> {
	await page.goto("/settings/connections");
	await page.getByRole("button", { name: "New connection" }).first().click();
	const dialog = page.getByRole("dialog", { name: "New connection" });
	await typeInto(dialog.getByLabel("Name", { exact: true }), name);
	await typeInto(dialog.getByLabel("Address", { exact: true }), lab.url);
	await typeInto(dialog.getByLabel("User", { exact: true }), lab.username);
	await typeInto(dialog.getByLabel("Password", { exact: true }), lab.password);
	await choose(dialog);
	await dialog.getByRole("button", { name: "Save and test" }).click();
	const saved = page.getByRole("dialog", { name });
	await saved.getByText(/Signed in to the controller, version/).waitFor();
	await saved.getByRole("button", { name: "Done" }).click();
	await page.getByRole("row", { name }).getByText("Reachable").waitFor();
}

/** Draws a query for one class and saves it from the defaults of the dialog. */
export async function makeQuery(
	page: Page,
	name: string,
	className: string,
	choose: (dialog: Locator) => Promise<void> = async () => {},
): Promise<void> {
	await page.goto("/builder");
	await page.getByRole("button", { name: "Add node" }).first().click();
	await page.keyboard.type(className);
	await page.keyboard.press("Enter");
	await page.getByRole("button", { name: "Save", exact: true }).click();
	const dialog = page.getByRole("dialog", { name: "Save as a new query" });
	await typeInto(dialog.getByLabel("Name", { exact: true }), name);
	await choose(dialog);
	await dialog.getByRole("button", { name: "Save", exact: true }).click();
	await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Chooses an item of a menu that a button opens. */
export async function openMenuItem(page: Page, button: string, item: string): Promise<void> {
	await page.getByRole("button", { name: button, exact: true }).click();
	await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/** Whether an element or a part of it has the focus. */
export const hasFocus = (element: Locator): Promise<boolean> =>
	element.evaluate((node) => node.contains(document.activeElement));

/** Presses Tab until the focus is in an element. */
async function focusByTab(element: Locator): Promise<void> {
	await element.waitFor();
	for (let pressed = 0; pressed < MOST_TABS && !(await hasFocus(element)); pressed++)
		await element.page().keyboard.press("Tab");
	expect(await hasFocus(element)).toBe(true);
}

/** Pastes rows with their headings into the grid of a request, and takes them over. */
export async function pasteRows(page: Page, text: string): Promise<void> {
	const grid = page.getByRole("grid", { name: "Rows of the request" });
	await grid.waitFor();
	await page.evaluate((content) => navigator.clipboard.writeText(content), text);
	await focusByTab(grid);
	await page.keyboard.press("ControlOrMeta+V");
	await page.getByRole("button", { name: /^Use \d+ rows?/ }).click();
}
