/** Users, groups and permissions, as an administrator keeps them; and pages one may not see. */
import { groupRoutes, savedQueryRoutes, userRoutes } from "@weft/contracts";
import { createClient } from "@weft/sdk";
import { expect, it } from "vitest";
import { inBrowser } from "./browser.ts";
import { PASSWORD } from "./world.ts";

inBrowser("people", (web) => {
	it("are created with keys alone, get rights with named sources, and are deactivated", async () => {
		const page = await web.open("/users");
		await page.getByRole("region", { name: "Users", exact: true }).waitFor();
		await page.keyboard.press("c");
		const drawer = page.getByRole("dialog", { name: "New user" });
		await drawer.getByLabel("Admin").waitFor();
		await page.keyboard.type("ada.byron");
		await page.keyboard.press("Tab");
		await page.keyboard.type(PASSWORD);
		await drawer.getByLabel("Editor").focus();
		await page.keyboard.press("Space");
		await drawer.getByLabel("First name").focus();
		await page.keyboard.type("Ada");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "ada.byron" }).waitFor();

		const rights = page.getByRole("region", { name: "Effective permissions" }).last();
		await rights.getByText("Editor").first().waitFor();
		await page.getByRole("button", { name: "Direct permissions" }).click();
		const direct = page.getByRole("region", { name: "Direct permissions" }).last();
		const box = direct
			.getByRole("row", { name: /^Audit log/ })
			.getByRole("checkbox")
			.first();
		await box.check();
		await page.getByRole("button", { name: "Save" }).click();
		await rights
			.getByRole("row", { name: /^Audit log/ })
			.getByText("direct")
			.waitFor();

		const own = createClient({ baseUrl: web.url });
		await own.signIn("ada.byron", PASSWORD);
		await page.getByRole("button", { name: "More for ada.byron" }).click();
		await page.getByRole("menuitem", { name: "Deactivate" }).click();
		await page
			.getByRole("dialog")
			.getByText(/All sessions of ada.byron end at once/)
			.waitFor();
		await page.getByRole("button", { name: "Deactivate the user" }).click();
		await page.getByText("Deactivated", { exact: true }).waitFor();
		await expect(createClient({ baseUrl: web.url }).signIn("ada.byron", PASSWORD)).rejects.toThrow();
		await page.getByRole("button", { name: "More for ada.byron" }).click();
		await page.getByRole("menuitem", { name: "Activate", exact: true }).click();
		await page.getByText("Active", { exact: true }).waitFor();
	});

	it("get a reset code that is shown once and sets a password", async () => {
		const { id } = await web.client().call(userRoutes.create, { body: { username: "forgetful", password: PASSWORD } });
		const page = await web.open(`/users/${id}`);
		await page.getByRole("button", { name: "More for forgetful" }).click();
		await page.getByRole("menuitem", { name: "Generate a reset code" }).click();
		await page.getByRole("button", { name: "Generate the code" }).click();
		const shown = page.getByRole("dialog", { name: "Reset code for forgetful" });
		const code = (await shown.locator("p.mono > span").textContent()) ?? "";
		await page.keyboard.press("Escape");
		await expect.poll(() => shown.isVisible()).toBe(true);
		await shown.getByLabel("I have passed on the code").check();
		await shown.getByRole("button", { name: "Done" }).click();
		await shown.waitFor({ state: "detached" });

		const other = await web.open("/reset-password", { signedIn: false });
		const changed = `${PASSWORD}-changed`;
		await other.getByLabel("Reset code").fill(code);
		await other.getByLabel("New password", { exact: true }).fill(changed);
		await other.keyboard.press("Enter");
		await expect
			.poll(async () => {
				const answer = await createClient({ baseUrl: web.url })
					.signIn("forgetful", changed)
					.catch(() => ({}));
				return "access" in answer;
			})
			.toBe(true);
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

	it("form groups from role templates, with permissions and a quota, which are cloned and deleted", async () => {
		const page = await web.open("/groups?edit=new");
		const dialog = page.getByRole("dialog", { name: "New group" });
		await dialog.getByLabel("Name").fill("Night shift");
		await dialog.getByLabel("Role template").selectOption("viewer");
		await dialog.getByText(/\d+ permissions\.$/).waitFor();
		await dialog.getByRole("button", { name: "Create the group" }).click();
		await page.getByRole("heading", { level: 1, name: "Night shift" }).waitFor();

		const matrix = page.getByRole("region", { name: "Permissions of the group" });
		const first = matrix.getByRole("row", { name: /^Saved queries/ }).getByRole("checkbox");
		await expect.poll(() => first.first().isChecked()).toBe(true);
		await first.nth(1).check();
		await page.getByText("+1 −0").waitFor();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The permissions of Night shift are saved").waitFor();
		await page.getByLabel("Runs per day").fill("25");
		// The button of the permissions leaves a moment after they are saved.
		await expect.poll(() => page.getByRole("button", { name: "Save" }).count()).toBe(1);
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The quota of Night shift is saved").waitFor();

		await page.getByRole("button", { name: "Clone" }).click();
		await page.getByRole("dialog").getByLabel("Name").fill("Day shift");
		await page.getByRole("button", { name: "Create the clone" }).click();
		await page.getByRole("heading", { level: 1, name: "Day shift" }).waitFor();
		await expect.poll(() => page.getByLabel("Runs per day").inputValue()).toBe("25");
		await page.getByRole("button", { name: "More for Day shift" }).click();
		await page.getByRole("menuitem", { name: "Delete" }).click();
		await page
			.getByRole("dialog")
			.getByText(/0 members lose/)
			.waitFor();
		await page.getByRole("button", { name: "Delete the group" }).click();
		await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();
		const { results } = await web.client().call(groupRoutes.list, { query: {} });
		expect(results.map(({ name }) => name)).toContain("Night shift");
		expect(results.map(({ name }) => name)).not.toContain("Day shift");
	});

	it("see which permission a page needs and who grants it", async () => {
		const { refresh } = await web.user("plain");
		const page = await web.open("/users", { as: refresh });
		await page.getByRole("heading", { level: 1, name: "Permission denied" }).waitFor();
		await page.getByText(/for administrators: superusers and members of the group Admin/).waitFor();
		expect(await page.getByRole("link", { name: "Users and groups" }).count()).toBe(0);
		await page.goto("/automation/requests");
		await page.getByText("view_automationrequest").waitFor();
		await page.getByText(/An administrator can grant it/).waitFor();
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
