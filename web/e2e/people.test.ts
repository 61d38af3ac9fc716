/** Users, groups and permissions, as an administrator keeps them; and pages one may not see. */
import { savedQueryRoutes, userRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";

describeInBrowser("people", (web) => {
	it("groups that are there from the start have the names of their roles", async () => {
		const page = await web.open("/groups");
		await page.getByRole("link", { name: "Author", exact: true }).waitFor();
		await page.getByRole("link", { name: "Everyone", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Everyone" }).waitFor();
	});

	it("dialogs about a group show the name by which it is displayed", async () => {
		const page = await web.open("/groups");
		await page.getByRole("link", { name: "Author", exact: true }).click();
		await page.getByRole("button", { name: "Clone" }).click();
		const clone = page.getByRole("dialog", { name: "Clone Author" });
		expect(await clone.getByLabel("Name").inputValue()).toBe("Author (copy)");
		await clone.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "More for Author" }).click();
		await page.getByRole("menuitem", { name: "Rename" }).click();
		const rename = page.getByRole("dialog", { name: "Rename Author" });
		await rename.getByText("It is displayed as Author until it is renamed.").waitFor();
		await rename.getByRole("button", { name: "Cancel" }).click();
		await page.getByRole("button", { name: "More for Author" }).click();
		await page.getByRole("menuitem", { name: "Delete" }).click();
		await page.getByRole("dialog", { name: "Delete Author?" }).waitFor();
	});

	it("are deleted only after their losses are named and the name is typed", async () => {
		const { client } = await web.user("leaver");
		const profile = (await web.client().call(userRoutes.list, { query: { search: "leaver" } })).results[0];
		await client.call(savedQueryRoutes.create, {
			body: { name: "A leaver's query", flow_data: { nodes: [], edges: [] } },
		});
		const page = await web.open(`/users/${profile?.id}`);
		await page.getByRole("button", { name: "More for leaver" }).click();
		await page.getByRole("menuitem", { name: "Delete" }).click();
		const dialog = page.getByRole("dialog", { name: "Delete leaver?" });
		await dialog.getByText("1 saved query, with versions, runs and snapshots").waitFor();
		const button = dialog.getByRole("button", { name: "Delete the user" });
		await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
		await dialog.getByLabel("Type leaver to confirm").fill("leaver");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
		await page.getByText("leaver is deleted").waitFor();
	});

	it("cannot lock themselves out", async () => {
		const page = await web.open(`/users/${web.userId}`);
		await page.getByText("Another administrator must deactivate or delete it").waitFor();
		await page.getByRole("button", { name: /^More for/ }).click();
		await page.getByRole("menuitem", { name: "Set a password" }).waitFor();
		expect(await page.getByRole("menuitem", { name: /Delete|Deactivate/ }).count()).toBe(0);
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Edit" }).click();
		const box = page.getByRole("dialog").getByLabel("Superuser");
		await box.waitFor();
		await expect.poll(() => box.isDisabled()).toBe(true);
	});

	it("see which permission a page needs and who grants it", async () => {
		const { refresh } = await web.user("plain");
		const page = await web.open("/users", { as: refresh });
		await page.getByRole("heading", { level: 1, name: "Permission denied" }).waitFor();
		await page.getByText(/for administrators: superusers and members of the group Admin/).waitFor();
		expect(await page.getByRole("link", { name: "People", exact: true }).count()).toBe(0);
		await page.goto("/automation/requests");
		await page.getByText("view_automationrequest").waitFor();
		await page.getByText("You may not see requests. Ask an administrator for the role Requester.").waitFor();
		await page.getByRole("link", { name: "To the overview" }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	});

	it("stay in the frame at an address that no page has", async () => {
		const page = await web.open("/nowhere/at/all");
		await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
		await page.getByRole("navigation", { name: "Main" }).waitFor();
		await page.getByRole("link", { name: "To the library" }).click();
		await page.getByRole("heading", { level: 1, name: "Library" }).waitFor();
	});
});
