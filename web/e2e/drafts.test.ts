/** Forms keep typed input until it is saved or discarded: by mouse and keyboard. */
import { authRoutes, automationRequestRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { CONNECTION, QUERY } from "./seed.ts";
import { PASSWORD } from "./world.ts";

const getGrid = (page: Page) => page.getByRole("grid", { name: "Rows of the request" });
const getRestoredNotice = (page: Page) => page.getByText(/^Unsaved input from .* was restored\.$/);

/** Everything that the browser stores for the origin, as text. */
const readStorage = (page: Page): Promise<string> =>
	page.evaluate(async () => {
		const databases = await indexedDB.databases();
		const records = databases.map(
			({ name = "" }) =>
				new Promise<unknown[]>((resolve, reject) => {
					const request = indexedDB.open(name);
					request.onerror = () => reject(request.error);
					request.onsuccess = () => {
						const stores = [...request.result.objectStoreNames];
						if (stores.length === 0) return resolve([]);
						const all = stores.map((store) => request.result.transaction(store).objectStore(store).getAll());
						const last = all.at(-1);
						if (last !== undefined) last.onsuccess = () => resolve(all.map(({ result }) => result));
					};
				}),
		);
		return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await Promise.all(records)]);
	});

async function signIn(page: Page, username: string): Promise<void> {
	await page.getByLabel("Username").click();
	await page.keyboard.type(username);
	await page.getByLabel("Password", { exact: true }).click();
	await page.keyboard.type(PASSWORD);
	await page.keyboard.press("Enter");
}

/** Types over what a field holds. */
async function typeText(page: Page, label: string, text: string, nth = 0): Promise<void> {
	await page.getByLabel(label, { exact: true }).nth(nth).click();
	await page.keyboard.press("Control+a");
	await page.keyboard.type(text);
}

/** Moves the focus to the table by the keyboard and pastes from the clipboard. */
async function pasteRows(page: Page, text: string): Promise<void> {
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await page.evaluate((content) => navigator.clipboard.writeText(content), text);
	const isInGrid = () => page.evaluate(() => document.activeElement?.closest("[role=grid]") !== null);
	for (let presses = 0; presses < 60 && !(await isInGrid()); presses++) await page.keyboard.press("Tab");
	expect(await isInGrid()).toBe(true);
	await page.keyboard.press("Control+v");
}

/** A form, how a click opens it, its first text field, and the verb that leaves it. */
interface FormCase {
	readonly name: string;
	readonly path: string;
	/** Names of the buttons that open it, in their order. */
	readonly clicks: readonly (string | RegExp)[];
	readonly field: string;
	readonly leave?: "Cancel" | "Discard it";
}

const FORMS: readonly FormCase[] = [
	{ name: "query", path: "/builder", clicks: ["Save"], field: "Name" },
	{ name: "connection", path: "/settings/connections", clicks: ["New connection"], field: "Name" },
	{ name: "edited server", path: "/settings/automation", clicks: ["Edit awx-lab"], field: "Name" },
	{ name: "connection group", path: "/settings/connection-groups", clicks: ["New group"], field: "Name" },
	{ name: "schedule", path: "/schedules", clicks: ["New schedule"], field: "Name" },
	{ name: "calendar entry", path: "/calendar", clicks: ["New entry"], field: "Title" },
	{ name: "check", path: "/checks/new", clicks: [], field: "Name" },
	{ name: "user", path: "/users", clicks: ["New user"], field: "Username" },
	{ name: "group", path: "/groups", clicks: ["New group"], field: "Name" },
	{ name: "invitations", path: "/users", clicks: ["Invite people"], field: "People" },
	{ name: "own token", path: "/me/tokens", clicks: ["New token"], field: "Name" },
	{ name: "automation server", path: "/settings/automation", clicks: ["New server"], field: "Name" },
	{ name: "webhook", path: "/settings/notifications/channels", clicks: ["New webhook"], field: "Name" },
	{ name: "value list", path: "/settings/reference/lists", clicks: ["New value list"], field: "Name" },
	{ name: "regex pattern", path: "/settings/reference/patterns", clicks: ["New regex pattern"], field: "Name" },
	{ name: "column template", path: "/settings/reference/columns", clicks: ["New column template"], field: "Name" },
	{ name: "query category", path: "/settings/categories/queries", clicks: ["New query category"], field: "Name" },
	{ name: "table template", path: "/settings/table-templates", clicks: ["New table template"], field: "Name" },
	{ name: "profile", path: "/me/profile", clicks: [], field: "First name", leave: "Discard it" },
	{
		name: "audit settings",
		path: "/audit/settings",
		clicks: [],
		field: "Largest document, in bytes",
		leave: "Discard it",
	},
	{ name: "schedule defaults", path: "/settings/tasks", clicks: [], field: "Maximum retries", leave: "Discard it" },
	{ name: "retention", path: "/settings/retention", clicks: [], field: "Largest snapshot, in MB", leave: "Discard it" },
];
const NUMBERS = /bytes|MB|retries/;

async function openForm(page: Page, { clicks, field }: FormCase) {
	// The navigation may have a part of the same name.
	const shown = page.getByLabel(field, { exact: true }).and(page.locator("input, textarea, select")).first();
	await page.getByRole("heading", { level: 1 }).first().waitFor();
	// The address of a page may open its form again.
	const isOpen = /[?&](edit|new)=/.test(page.url());
	for (const name of isOpen ? [] : clicks) {
		await page.getByRole("button", { name, exact: true }).first().click();
	}
	await shown.waitFor();
	return shown;
}

describeInBrowser("drafts of forms", (web) => {
	it("bring a request with 200 rows back after its session has ended", async () => {
		const { client } = await web.user("dora.draft", ["Admin"]);
		const page = await web.open(`/automation/requests/new?template=${web.automationSeed.templateId}`, {
			signedIn: false,
		});
		await signIn(page, "dora.draft");
		await getGrid(page).waitFor();
		await typeText(page, "Title", "Two hundred tenants");
		await pasteRows(page, Array.from({ length: 200 }, (_, row) => `tenant-${row}\t${100 + row}`).join("\n"));
		await page.getByText("200 rows", { exact: true }).first().waitFor();
		await typeText(page, "Title", "Two hundred more tenants");
		// Another browser of the user ends the session. The page may notice it before the click.
		const submit = await page.getByRole("button", { name: "Submit for approval" }).boundingBox();
		await client.call(authRoutes.revokeOthers, { query: {}, body: {} });
		await page.mouse.click((submit?.x ?? 0) + 10, (submit?.y ?? 0) + 10);
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		await signIn(page, "dora.draft");
		await getRestoredNotice(page).waitFor();
		expect(new URL(page.url()).pathname).toBe("/automation/requests/new");
		expect(await page.getByLabel("Title").inputValue()).toBe("Two hundred more tenants");
		await page.getByText("200 rows", { exact: true }).first().waitFor();

		await page.reload();
		await getRestoredNotice(page).waitFor();
		await page.getByText("200 rows", { exact: true }).first().waitFor();
		await page.getByRole("gridcell", { name: "tenant-0" }).first().waitFor();
		await page.getByRole("link", { name: "Overview", exact: true }).click();
		await page.getByText("Unsaved input is kept.").first().waitFor();
		await page.goBack();
		await getRestoredNotice(page).waitFor();

		// A tab that is closed at once loses nothing either.
		await typeText(page, "Title", "Two hundred last tenants");
		const second = await page.context().newPage();
		const address = page.url();
		await page.close({ runBeforeUnload: true });
		await second.goto(address);
		await signIn(second, "dora.draft");
		await getRestoredNotice(second).waitFor();
		expect(await second.getByLabel("Title").inputValue()).toBe("Two hundred last tenants");

		await second.getByRole("button", { name: "Submit for approval" }).click();
		await second.getByRole("heading", { level: 1, name: "Two hundred last tenants" }).waitFor();
		const { results } = await client.call(automationRequestRoutes.list, { query: { search: "last tenants" } });
		expect(results).toMatchObject([{ row_count: 200 }]);
		await expect.poll(() => readStorage(second)).not.toContain("last tenants");
	});

	it("keep a template with its columns and variables over links, Back and a reload, for its user alone", async () => {
		await web.user("tessa.draft", ["Admin"]);
		await web.user("other.draft", ["Admin"]);
		const page = await web.open("/automation/templates", { signedIn: false });
		await signIn(page, "tessa.draft");
		await page.getByRole("link", { name: "Create tenants", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Create tenants" }).waitFor();
		const address = page.url();
		await typeText(page, "Name", "Tenants and more");
		await page.getByRole("button", { name: "Add a column" }).click();
		await typeText(page, "Name", "owner", 4);
		await page.getByRole("button", { name: "Add a variable" }).click();
		await typeText(page, "Variable", "region");
		await typeText(page, "Value", "emea");
		const isThere = async () => {
			await getRestoredNotice(page).waitFor();
			expect(await page.getByLabel("Name", { exact: true }).first().inputValue()).toBe("Tenants and more");
			expect(await page.getByLabel("Name", { exact: true }).nth(4).inputValue()).toBe("owner");
			expect(await page.getByLabel("Value", { exact: true }).inputValue()).toBe("emea");
		};
		await page.getByRole("link", { name: "Schedules", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "Schedules" }).waitFor();
		await page.goBack();
		await isThere();
		await page.reload();
		await isThere();

		await page.getByRole("button", { name: "Your account" }).click();
		await page.getByRole("menuitem", { name: "Sign out" }).click();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
		await signIn(page, "other.draft");
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		await page.goto(address);
		await page.getByRole("heading", { level: 1, name: "Create tenants" }).waitFor();
		expect(await getRestoredNotice(page).count()).toBe(0);
		await page.getByRole("button", { name: "Your account" }).click();
		await page.getByRole("menuitem", { name: "Sign out" }).click();
		await signIn(page, "tessa.draft");
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		await page.goto(address);
		await isThere();
		await page.getByRole("button", { name: "Discard it" }).click();
		await page.getByRole("heading", { level: 1, name: "Create tenants" }).waitFor();
		await getRestoredNotice(page).waitFor({ state: "detached" });
		expect(await page.getByLabel("Name", { exact: true }).count()).toBe(4);
		await page.reload();
		await page.getByRole("heading", { level: 1, name: "Create tenants" }).waitFor();
		expect(await getRestoredNotice(page).count()).toBe(0);
	});

	for (const form of FORMS) {
		it(`restore the input of the form "${form.name}" after a reload, until it is discarded`, async () => {
			const { refresh } = await web.user(`draft.${form.name.replaceAll(" ", ".")}`, ["Admin"]);
			const page = await web.open(form.path, { as: refresh });
			const field = await openForm(page, form);
			const before = await field.inputValue();
			const typed = NUMBERS.test(form.field) ? "7" : "kept-input";
			await field.click();
			await page.keyboard.press("Control+a");
			await page.keyboard.type(typed);
			await page.reload();
			const after = await openForm(page, form);
			await getRestoredNotice(page).waitFor();
			expect(await after.inputValue()).toBe(typed);
			await page
				.getByRole("button", { name: form.leave ?? "Cancel", exact: true })
				.last()
				.click();
			if (form.leave === undefined) {
				await page.getByText("The unsaved input is discarded.").waitFor();
			}
			await page.goto(form.path);
			expect(await (await openForm(page, form)).inputValue()).toBe(before);
			expect(await getRestoredNotice(page).count()).toBe(0);
		});
	}

	it("never store passwords, private keys, tokens and secrets", async () => {
		const { refresh } = await web.user("secret.draft", ["Admin"]);
		const page = await web.open("/settings/connections", { as: refresh });
		await page.getByRole("button", { name: "New connection" }).first().click();
		await typeText(page, "Name", "marker-connection");
		await typeText(page, "Password", "hush-password");
		await page.getByRole("button", { name: "Show the password" }).click();
		await typeText(page, "Password", "hush-password-shown");
		await page.getByRole("button", { name: "Sign in with a certificate" }).click();
		await typeText(page, "Private key", "hush-private-key");
		await typeText(page, "Passphrase of the key", "hush-passphrase");
		await page.goto("/settings/automation?edit=new");
		await typeText(page, "Name", "marker-server");
		await typeText(page, "Token", "hush-token");
		await page.goto("/settings/notifications/channels?edit=new");
		await typeText(page, "Name", "marker-webhook");
		await typeText(page, "Secret", "hush-secret");
		await page.goto("/users?edit=new");
		await typeText(page, "Username", "marker-user");
		await typeText(page, "Password", "hush-user-password");
		await page.reload();
		await getRestoredNotice(page).waitFor();
		const stored = await readStorage(page);
		for (const form of ["connection", "server", "webhook", "user"]) expect(stored).toContain(`marker-${form}`);
		expect(stored).not.toContain("hush");
	});

	it("are gone after saving, and a discarded one comes back with Undo", async () => {
		const { refresh } = await web.user("saver.draft", ["Admin"]);
		const page = await web.open("/schedules", { as: refresh });
		await page.getByRole("button", { name: "New schedule" }).first().click();
		const dialog = page.getByRole("dialog");
		await typeText(page, "Name", "Kept nightly");
		await dialog.getByLabel("Query", { exact: true }).selectOption({ label: QUERY });
		await dialog.getByLabel(CONNECTION).check();
		// Escape leaves the form and keeps its input; so does Undo after Cancel.
		await page.keyboard.press("Escape");
		await page.getByText("Unsaved input is kept.").waitFor();
		await page.getByRole("button", { name: "New schedule" }).first().click();
		await getRestoredNotice(page).waitFor();
		await dialog.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "Undo" }).click();
		await page.getByRole("button", { name: "New schedule" }).first().click();
		await getRestoredNotice(page).waitFor();
		expect(await dialog.getByLabel("Name").inputValue()).toBe("Kept nightly");
		expect(await dialog.getByLabel(CONNECTION).isChecked()).toBe(true);
		await dialog.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Kept nightly" }).waitFor();
		expect(await readStorage(page)).not.toContain("weft.draft.");
		await page.goto("/schedules?new=1");
		await dialog.getByLabel("Name").waitFor();
		expect(await getRestoredNotice(page).count()).toBe(0);
	});

	it("refuse to replace a newer version of an edited request", async () => {
		const { client, refresh } = await web.user("edna.draft", ["Admin"]);
		const made = await client.call(automationRequestRoutes.create, {
			body: {
				template: web.automationSeed.templateId,
				title: "Two versions",
				input_data: [{ name: "shop", vlan: 110 }],
				check_mode: true,
			},
		});
		const page = await web.open(`/automation/requests/${made.id}/edit`, { as: refresh });
		await getGrid(page).waitFor();
		await typeText(page, "Title", "My version");
		await client.call(automationRequestRoutes.update, { params: { id: made.id }, body: { title: "Their version" } });
		await page.reload();
		await getRestoredNotice(page).waitFor();
		await page.getByText("were changed and saved by others").waitFor();
		expect(await page.getByLabel("Title").inputValue()).toBe("My version");
		await page.getByRole("button", { name: "Save and submit for approval" }).click();
		await page.getByRole("alert").waitFor();
		const { title } = await client.call(automationRequestRoutes.detail, { params: { id: made.id } });
		expect(title).toBe("Their version");
		await page.getByRole("button", { name: "Discard it" }).click();
		await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Their version");
	});
});
