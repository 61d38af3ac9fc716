/**
 * Queries and the things around them. Each is made in the browser from the defaults of its form,
 * read again after a reload, and used once:
 *
 * - connection: is tested, and runs a query
 * - run of a query that is not saved: shows its rows
 * - saved query: runs, and has snapshots
 * - query category, made in the dialog that saves a query: the query is in it
 * - query category, made in the settings: finds its query in the library
 * - version of a query: an earlier one is restored
 * - favourite query: is in the list of favourites
 * - duplicate of a query: runs
 * - file of exported queries: is imported as copies
 * - connection group and group run: the query runs on every connection of the group
 * - imported file of a query, a change plan and a calendar entry: makes all of them
 * - imported class model: shows a class
 * - favourite class: leads to the class
 * - table template: leads to its class
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
	chooseOption,
	describeOnEmptyService,
	makeConnection,
	makeQuery,
	openMenuItem,
	typeInto,
} from "./empty-service.ts";

const HOUR_MS = 3_600_000;

/** A query, a change plan of it, and a freeze of all connections that is on. */
const formatPlanDocuments = (): string => `kind: query
name: Planned tenants
enable_time_machine: true
flow_data: { edges: [], nodes: [{ id: a, type: classNode, data: { className: fvTenant } }] }
---
kind: change_plan
name: Imported plan
items: [{ query: Planned tenants, compare: no_loss }]
---
kind: calendar_entry
entry_kind: freeze
title: Year end
starts_at: ${new Date(Date.now() - HOUR_MS).toISOString()}
ends_at: ${new Date(Date.now() + HOUR_MS).toISOString()}
`;

describeOnEmptyService("queries on an empty service", (service) => {
	it("run on a connection before they are saved", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await page.reload();
		await page.getByRole("row", { name: /fab-a/ }).getByText("Reachable").waitFor();
		await page.goto("/builder");
		await page.getByRole("button", { name: "Add node" }).first().click();
		await page.keyboard.type("fvTenant");
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Run on fab-a" }).click();
		await page.getByRole("gridcell", { name: "common" }).first().waitFor();
	});

	it("begins a query with a button or a URL on an empty canvas, and continues at the plus of a node", async () => {
		const page = service.page();
		await page.goto("/builder");
		const discard = page.getByRole("button", { name: "Discard it" });
		await discard.click();
		const starters = page.getByRole("region", { name: "Start with" });
		for (const name of ["Tenants", "Endpoints", "Interfaces", "Faults", "Paste a URL"])
			await starters.getByRole("button", { name, exact: true }).waitFor();
		await starters.getByRole("link", { name: "From a question" }).waitFor();
		await starters.getByRole("button", { name: "Tenants" }).click();
		await starters.waitFor({ state: "detached" });
		const tenants = page.locator(".react-flow__node").filter({ hasText: "fvTenant" });
		await tenants.getByText(/^\d+ in fab-a$/).waitFor();
		await page.getByRole("button", { name: "Add after fvTenant" }).click();
		await page.getByRole("dialog", { name: "Add after fvTenant" }).getByRole("option", { name: /^fvBD/ }).click();
		await page.getByText("First finds", { exact: false }).or(page.getByText("Asks for all")).first().waitFor();
		await page.getByRole("button", { name: "Run on fab-a" }).click();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();

		await page.goto("/library");
		await page.goto("/builder");
		await discard.click();
		await starters.getByRole("button", { name: "Paste a URL" }).click();
		const dialog = page.getByRole("dialog", { name: "Paste a URL" });
		await typeInto(dialog.getByLabel("Request"), '/api/class/fvCtx.json?query-target-filter=eq(fvCtx.name,"web")');
		await dialog.getByRole("button", { name: "Draw it" }).click();
		await page.getByRole("button", { name: 'Filter name = "web"' }).waitFor();
		await page.getByText("GET /api/class/fvCtx.json").waitFor();
		// A canvas that is left at once is stored as a draft.
		await page.goto("/builder");
		await page.getByRole("button", { name: 'Filter name = "web"' }).waitFor();
		await discard.click();
		await starters.waitFor();
	});

	it("are saved with a category that the dialog makes, and have snapshots of their runs", async () => {
		const page = service.page();
		await makeQuery(page, "All tenants", "fvTenant", async (dialog) => {
			await chooseOption(dialog.getByLabel("Category", { exact: true }), "New category");
			await typeInto(dialog.getByLabel("Name of the new category"), "Hygiene");
		});
		await page.reload();
		await page.getByRole("heading", { level: 1, name: "All tenants" }).waitFor();
		await page.getByText("Hygiene").first().waitFor();
		await page.getByRole("button", { name: "Run on fab-a" }).click();
		await page.getByRole("gridcell", { name: "common" }).first().waitFor();
		await page.goto("/time-machine");
		await page.getByRole("link", { name: "All tenants" }).click();
		await page.getByRole("region", { name: "Snapshots" }).waitFor();
	});

	it("have versions, of which an earlier one is restored", async () => {
		const page = service.page();
		await page.goto("/library");
		await page.getByRole("link", { name: "All tenants" }).click();
		await page.getByRole("button", { name: "Add node" }).first().click();
		await page.keyboard.type("fvBD");
		await page.keyboard.press("Enter");
		const unsaved = page.getByText("unsaved changes");
		await unsaved.waitFor();
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await unsaved.waitFor({ state: "detached" });
		await openMenuItem(page, "More about this query", "Versions");
		const versions = page.getByRole("dialog", { name: "Versions of All tenants" });
		await expect.poll(() => versions.getByRole("listitem").count()).toBe(2);
		const loaded = page.waitForEvent("load");
		await versions.getByRole("button", { name: "Restore" }).click();
		await loaded;
		await openMenuItem(page, "More about this query", "Versions");
		await expect.poll(() => versions.getByRole("listitem").count()).toBe(3);
		await page.keyboard.press("Escape");
	});

	it("are found in the library by a category of the settings", async () => {
		const page = service.page();
		await page.goto("/settings/categories/queries");
		await page.getByRole("button", { name: "New query category" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New query category" });
		await typeInto(drawer.getByLabel("Name"), "Layer 2");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		await page.reload();
		await page.getByRole("button", { name: "Edit Layer 2" }).waitFor();
		await makeQuery(page, "Bridge domains", "fvBD", (dialog) =>
			chooseOption(dialog.getByLabel("Category", { exact: true }), "Layer 2"),
		);
		await page.goto("/library");
		await chooseOption(page.getByLabel("Category"), "Layer 2");
		await page.getByRole("link", { name: "All tenants" }).waitFor({ state: "detached" });
		await page.getByRole("link", { name: "Bridge domains" }).waitFor();
	});

	it("are starred, duplicated, exported and imported again", async () => {
		const page = service.page();
		await page.goto("/library");
		await page.getByRole("button", { name: "Favorite: All tenants" }).click();
		await page.getByRole("link", { name: "Favorites" }).click();
		await page.reload();
		await page.getByRole("link", { name: "All tenants" }).waitFor();
		expect(await page.getByRole("link", { name: "Bridge domains" }).count()).toBe(0);

		await page.goto("/library");
		await openMenuItem(page, "More for All tenants", "Duplicate");
		await page.getByText(/is yours$/).waitFor();
		const links = page.getByRole("link", { name: /^All tenants/ });
		await expect.poll(() => links.count()).toBe(2);

		const downloaded = page.waitForEvent("download");
		await openMenuItem(page, "Export and import", "Export as YAML");
		const choice = page.getByRole("dialog", { name: "Export as YAML" });
		await choice.getByLabel(/^Queries \(\d+\)$/).waitFor();
		for (const kind of ["Schedules", "Checks", "Connections", "Change plans", "Calendar entries"]) {
			const box = choice.getByLabel(new RegExp(`^${kind} \\(\\d+\\)$`));
			if (await box.isEnabled()) await box.uncheck();
		}
		await choice.getByRole("button", { name: "Export", exact: true }).click();
		const text = readFileSync(await (await downloaded).path(), "utf8");
		const file = join(tmpdir(), "weft-made-queries.yaml");
		writeFileSync(file, text.replaceAll("name: All tenants", "name: Imported tenants"));
		try {
			const chooser = page.waitForEvent("filechooser");
			await openMenuItem(page, "Export and import", "Import YAML files");
			await (await chooser).setFiles(file);
			const preview = page.getByRole("dialog", { name: "Import YAML files" });
			await preview.getByText("Imported tenants (Copy)").waitFor();
			expect(await preview.getByText("new", { exact: true }).count()).toBe(2);
			expect(await preview.getByText("unchanged", { exact: true }).count()).toBe(1);
			await preview.getByRole("button", { name: "Import", exact: true }).click();
			await page.getByText("2 objects imported").waitFor();
			writeFileSync(file, `${text}---\nkind: query\nnaem: x\n`);
			const again = page.waitForEvent("filechooser");
			await openMenuItem(page, "Export and import", "Import YAML files");
			await (await again).setFiles(file);
			await preview
				.getByText(`weft-made-queries.yaml:${text.split("\n").length + 2}: There is no key "naem"`)
				.waitFor();
			await preview.getByRole("button", { name: "Cancel" }).click();
		} finally {
			rmSync(file);
		}
		await page.reload();
		const imported = page.getByRole("link", { name: /^Imported tenants/ });
		await expect.poll(() => imported.count()).toBe(2);
		await page.getByRole("button", { name: "Run Imported tenants on fab-a", exact: true }).click();
		await page.getByRole("gridcell", { name: "common" }).first().waitFor();
	});

	it("imports queries together with a change plan and a calendar entry", async () => {
		const page = service.page();
		await page.goto("/library");
		const file = join(tmpdir(), "weft-made-plan.yaml");
		writeFileSync(file, formatPlanDocuments());
		try {
			const chooser = page.waitForEvent("filechooser");
			await openMenuItem(page, "Export and import", "Import YAML files");
			await (await chooser).setFiles(file);
			const preview = page.getByRole("dialog", { name: "Import YAML files" });
			await preview.getByText("Imported plan (change plan)").waitFor();
			await preview.getByText("Year end (calendar entry)").waitFor();
			await preview.getByRole("button", { name: "Import", exact: true }).click();
			await page.getByText("3 objects imported").waitFor();
		} finally {
			rmSync(file);
		}
		await page.goto("/change-plans");
		await page.getByText("Imported plan", { exact: true }).first().waitFor();
		await page.goto("/calendar");
		await page.getByText("Year end").first().waitFor();
	});

	it("exports change plans and calendar entries into the same file as queries", async () => {
		const page = service.page();
		await page.goto("/library");
		await openMenuItem(page, "Export and import", "Export as YAML");
		const dialog = page.getByRole("dialog", { name: "Export as YAML" });
		await dialog.getByLabel("Change plans (1)").waitFor();
		await dialog.getByLabel("Calendar entries (1)").waitFor();
		await dialog.getByLabel(/^Connections \(/).uncheck();
		const downloaded = page.waitForEvent("download");
		await dialog.getByRole("button", { name: "Export", exact: true }).click();
		const saved = await downloaded;
		expect(saved.suggestedFilename()).toBe("weft-objects.yaml");
		const kinds = [...readFileSync(await saved.path(), "utf8").matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind);
		expect(kinds).toEqual(expect.arrayContaining(["query", "change_plan", "calendar_entry"]));
		expect(kinds).not.toContain("connection");
	});

	it("run on every connection of a group", async () => {
		const page = service.page();
		await makeConnection(page, "fab-b", service.world());
		await page.getByRole("link", { name: "Groups", exact: true }).first().click();
		await page.getByRole("button", { name: "New group" }).first().click();
		const form = page.getByRole("dialog", { name: "New group" });
		await typeInto(form.getByLabel("Name", { exact: true }), "Both sites");
		await form.getByLabel("fab-a", { exact: true }).click();
		await form.getByLabel("fab-b", { exact: true }).click();
		await form.getByRole("button", { name: "Create the group" }).click();
		await form.waitFor({ state: "detached" });
		await page.reload();
		await page
			.getByRole("row", { name: /Both sites/ })
			.getByText("fab-a, fab-b")
			.waitFor();

		await page.goto("/library?q=Bridge+domains");
		await page.getByRole("link", { name: "Bridge domains" }).first().click();
		await openMenuItem(page, "Choose the fabric", "Both sites");
		await page.waitForURL(/\/runs\/groups\/[0-9a-f-]{36}$/);
		const runs = page.getByRole("region", { name: "Runs of the group" });
		await expect.poll(() => runs.getByText("Succeeded").count()).toBe(2);
		await page.reload();
		await page.getByRole("link", { name: "All rows" }).click();
		await page.getByRole("gridcell", { name: "fab-b" }).first().waitFor();
		const downloaded = page.waitForEvent("download");
		await openMenuItem(page, "All rows", "As Excel");
		expect((await downloaded).suggestedFilename()).toMatch(/^Bridge-domains-fab-a-fab-b-\d{4}-\d\d-\d\d\.xlsx$/);
	});

	it("know the classes of a model that is imported, and the classes that a person stars", async () => {
		const page = service.page();
		await page.goto("/settings/model");
		await page.getByRole("button", { name: "Import", exact: true }).click();
		await page.getByText(/is installed and in use\./).waitFor();
		await page.reload();
		await page.getByRole("table").getByText("Active").waitFor();

		await page.goto("/model/fvBD");
		await page.getByText("naming").first().waitFor();
		await page.getByRole("button", { name: "Favorite", exact: true }).click();
		await page.getByRole("button", { name: "A favorite" }).waitFor();
		await page.goto("/model");
		await page.reload();
		await page.getByRole("link", { name: "fvBD", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "fvBD" }).waitFor();
	});

	it("have table templates of their classes", async () => {
		const page = service.page();
		await page.goto("/settings/table-templates");
		await page.getByRole("button", { name: "New table template" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New table template" });
		await typeInto(drawer.getByLabel("Name"), "Domains, short");
		await typeInto(drawer.getByLabel("Class", { exact: true }), "fvBD");
		await drawer.getByRole("button", { name: "Add a column" }).click();
		await typeInto(drawer.getByLabel("Attribute"), "name");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		await page.reload();
		const row = page.getByRole("row", { name: /Domains, short/ });
		await row.getByText("Private").waitFor();
		await row.getByRole("link", { name: "fvBD" }).click();
		await page.getByRole("heading", { level: 1, name: "fvBD" }).waitFor();
	});
});
