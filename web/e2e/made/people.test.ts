/**
 * People, rights and tokens. Each is made in the browser from the defaults of its form, read again
 * after a reload, and used once:
 *
 * - first setup: three steps are left out; ten pasted people are invited with a role in few actions
 * - invitation: its link sets a password once; a new link replaces it; another is withdrawn
 * - user: signs in, is deactivated and activated
 * - group with a permission: its member sees the page
 * - quota of a group: refuses the second query, and the second token until it is raised
 * - clone of a group: has the quota, and is deleted
 * - group from a role template: has the permissions of the template
 * - direct permission of a user: is named as a source of the right
 * - reset code: sets a password that signs in
 * - API token: calls the API until it is revoked
 * - service account and its token: call the API with the rights of the account
 *
 * The second factor and its backup codes are made in account.test.ts.
 */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { chooseOption, describeOnEmptyService, makeQuery, openMenuItem, typeInto } from "./empty-service.ts";

const PASSWORD = "correct horse battery";
/** Typed by the administrator; its user must choose another. */
const GIVEN_PASSWORD = "battery staple horse";
const NEW_PASSWORD = `${PASSWORD}-changed`;
const MEMBER = "grace.hopper";

/** Opens a group and returns a number of its quota. */
async function openQuota(page: Page, group: string, name: string) {
	await page.goto("/groups");
	await page.getByRole("link", { name: group }).click();
	return page.getByLabel(name, { exact: true });
}

async function saveQuota(page: Page, group: string): Promise<void> {
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByText(`The quota of ${group} is saved`).waitFor();
}

/** Fills the form of a new token and sends it. */
async function createToken(page: Page, name: string): Promise<void> {
	await page.getByRole("button", { name: "New token" }).first().click();
	const dialog = page.getByRole("dialog", { name: "New API token" });
	await typeInto(dialog.getByLabel("Name"), name);
	await dialog.getByRole("button", { name: "Create the token" }).click();
}

/** Leaves the dialog with the secret of a new token. */
async function leaveSecret(page: Page, name: string): Promise<void> {
	const shown = page.getByRole("dialog", { name: `API token ${name}` });
	await shown.getByLabel("I have stored the token in a safe place").click();
	await shown.getByRole("button", { name: "Done" }).click();
	await shown.waitFor({ state: "detached" });
}

/** Reads the secret that is shown once, and leaves its dialog. */
async function takeSecret(page: Page, name: string): Promise<string> {
	const shown = page.getByRole("dialog", { name: `API token ${name}` });
	await shown.getByRole("button", { name: "Copy the token" }).click();
	await leaveSecret(page, name);
	return page.evaluate(() => navigator.clipboard.readText());
}

/** Ten addresses, as they are pasted from a mail. */
const TEAM = Array.from({ length: 10 }, (_, index) => `person${index}@example.com`).join(", ");

describeOnEmptyService("people on an empty service", (service) => {
	const findStatus = async (path: string, token: string) =>
		(await fetch(`${service.url()}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;

	it("invites a team of ten in a first setup whose steps are done or left out", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Set up for a team" }).click();
		await page.getByRole("heading", { level: 1, name: "First setup" }).waitFor();
		for (const step of ["Fabric", "Automation server", "Mail"]) {
			await page.getByRole("heading", { level: 2, name: step }).waitFor();
			await page.getByRole("button", { name: "Leave this step out" }).click();
		}
		await page.getByRole("button", { name: "Invite people" }).click();
		const dialog = page.getByRole("dialog", { name: "Invite people" });
		await dialog.getByLabel("People").click();
		await page.keyboard.insertText(`${TEAM}\nnobody@nowhere\nada.lovelace`);
		await dialog.getByText("nobody@nowhere is not an email address.").waitFor();
		await dialog.getByRole("button", { name: "Leave 1 person out" }).click();
		await dialog.getByLabel("Viewer", { exact: true }).click();
		await dialog.getByRole("button", { name: "Invite 11 people" }).click();
		await dialog.getByText("ada.lovelace: There is a user of this name already.").waitFor();
		await dialog.getByRole("button", { name: "Leave 1 person out" }).click();
		await dialog.getByRole("button", { name: "Invite 10 people" }).click();
		const links = page.getByRole("dialog", { name: "Links of the invitations" });
		await expect.poll(() => links.getByRole("listitem").count()).toBe(10);
		const link = await links.locator("li .mono").first().innerText();
		await links.getByLabel("I have passed the links on").click();
		await links.getByRole("button", { name: "Done" }).click();
		await page.getByText("Nothing is left to do.").waitFor();
		await page.reload();
		await page.getByText("Nothing is left to do.").waitFor();
		await page.getByRole("button", { name: "Mail" }).click();
		await page.getByRole("button", { name: "Take this step up again" }).click();
		await page.getByRole("button", { name: "Leave this step out" }).waitFor();

		const person = await service.openPage(link.slice(service.url().length));
		await typeInto(person.getByLabel("Password", { exact: true }), PASSWORD);
		await person.getByRole("button", { name: "Set the password and sign in" }).click();
		await person.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
	});

	it("renews and withdraws links of invitations, and lists the people who may approve", async () => {
		const page = service.page();
		await page.goto("/settings/people");
		await page.getByRole("heading", { level: 1, name: "Users" }).waitFor();
		const row = page.getByRole("row", { name: /^person9/ });
		await row.getByText("Link shown, not mailed").waitFor();
		await row.getByRole("button", { name: "New link" }).click();
		const links = page.getByRole("dialog", { name: "Links of the invitations" });
		await links.getByText("person9").waitFor();
		await links.getByLabel("I have passed the links on").click();
		await links.getByRole("button", { name: "Done" }).click();
		await page
			.getByRole("row", { name: /^person8/ })
			.getByRole("button", { name: "Withdraw" })
			.click();
		await page.getByText("The invitation of person8 is withdrawn").waitFor();

		await page.getByRole("button", { name: "Invite people" }).click();
		const dialog = page.getByRole("dialog", { name: "Invite people" });
		await dialog.getByLabel("People").click();
		await page.keyboard.insertText("decider@example.com");
		await dialog.getByLabel("Approver", { exact: true }).click();
		await dialog.getByRole("button", { name: "Invite", exact: true }).click();
		await links.getByLabel("I have passed the links on").click();
		await links.getByRole("button", { name: "Done" }).click();
		await page.goto("/permissions");
		const deciders = page.getByRole("list", { name: "Who may approve requests" });
		await deciders.getByRole("link", { name: "decider" }).click();
		await page.getByRole("heading", { level: 1, name: "decider" }).waitFor();
		const rights = page.getByRole("region", { name: "What decider may do" });
		await rights
			.getByRole("listitem")
			.filter({ hasText: "Approve requests (from Approver)" })
			.getByLabel("Yes")
			.waitFor();
		await rights.getByRole("listitem").filter({ hasText: "Launch approved requests" }).getByLabel("No").waitFor();
	});

	it("shows administrators the status of the service, and a shell while a page loads", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Service status" }).click();
		await page
			.getByRole("row", { name: /^Store/ })
			.getByText("OK")
			.waitFor();
		await page.getByText("Answers this page").waitFor();
		await page.getByText("No backup was made with").waitFor();
		await page.goto("/settings/data");
		await page.getByRole("heading", { level: 1, name: "Retention" }).waitFor();
		const slow = await service.openPage("/login");
		await slow.route(/\.(js|css)$/, (route) => route.abort());
		await slow.goto("/");
		await slow.getByText("Loading Weft …").waitFor();
	});

	it("are users who sign in, and see no page that they have no right to", async () => {
		const page = service.page();
		await page.goto("/users");
		await page.getByRole("region", { name: "Users", exact: true }).waitFor();
		// With keys alone.
		await page.keyboard.press("c");
		await page.getByRole("dialog", { name: "New user" }).getByLabel("Admin").waitFor();
		await page.keyboard.type(MEMBER);
		await page.keyboard.press("Tab");
		await page.keyboard.type(GIVEN_PASSWORD);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: MEMBER }).waitFor();
		await page.reload();
		await page.getByText("Active", { exact: true }).waitFor();
		const member = await service.signInFirst(MEMBER, GIVEN_PASSWORD, PASSWORD);
		await member.goto("/automation/requests");
		await member.getByRole("heading", { level: 1, name: "Permission denied" }).waitFor();
	});

	it("get rights and limits from a group", async () => {
		const page = service.page();
		await page.goto("/groups");
		await page.getByRole("button", { name: "New group" }).first().click();
		const dialog = page.getByRole("dialog", { name: "New group" });
		await typeInto(dialog.getByLabel("Name"), "Night shift");
		await dialog.getByRole("button", { name: "Create the group" }).click();
		await page.getByRole("heading", { level: 1, name: "Night shift" }).waitFor();
		await page.getByText(/^Advanced: all/).click();
		const matrix = page.getByRole("region", { name: "Permissions of the group" });
		await matrix
			.getByRole("row", { name: /^Automation requests/ })
			.getByRole("checkbox")
			.first()
			.click();
		await page.getByText("+1 −0").waitFor();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The permissions of Night shift are saved").waitFor();
		await page.getByRole("button", { name: "Set a quota" }).click();
		await expect.poll(() => page.getByLabel("Saved queries", { exact: true }).inputValue()).toBe("");
		await expect.poll(() => page.getByLabel("No limit: Saved queries").isChecked()).toBe(true);
		expect(await page.getByLabel(/AI/).count()).toBe(0);
		await typeInto(page.getByLabel("Saved queries", { exact: true }), "1");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The quota of Night shift is saved").waitFor();
		await page.reload();
		await expect.poll(() => page.getByLabel("Saved queries", { exact: true }).inputValue()).toBe("1");

		await page.goto(`/users?q=${MEMBER}`);
		await page.getByRole("link", { name: MEMBER }).click();
		await page.getByRole("button", { name: "Edit", exact: true }).click();
		const drawer = page.getByRole("dialog", { name: MEMBER });
		await drawer.getByLabel("Everyone").click();
		await drawer.getByLabel("Night shift").click();
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		await page.getByText("From Night shift").waitFor();

		const member = await service.signIn(MEMBER, PASSWORD);
		await member.goto("/automation/requests");
		await member.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
		await makeQuery(member, "The only one", "fvTenant");
		await member.goto("/library");
		await openMenuItem(member, "More for The only one", "Duplicate");
		await member.getByText(/Your quota of saved queries \(1\) is used up\. Delete what you no longer need\./).waitFor();
		await member.reload();
		await expect.poll(() => member.getByRole("link", { name: /^The only one/ }).count()).toBe(1);

		await typeInto(await openQuota(page, "Night shift", "API tokens"), "1");
		await saveQuota(page, "Night shift");
		await member.goto("/me/tokens");
		await createToken(member, "first");
		await leaveSecret(member, "first");
		await createToken(member, "second");
		await member
			.getByText(/Your quota of API tokens \(1\) is used up\. Revoke one that you no longer need\./)
			.waitFor();
		await typeInto(await openQuota(page, "Night shift", "API tokens"), "2");
		await saveQuota(page, "Night shift");
		await member.getByRole("button", { name: "Create the token" }).click();
		await leaveSecret(member, "second");
	});

	it("have groups that are cloned, and groups that a role template fills", async () => {
		const page = service.page();
		await page.goto("/groups");
		await page.getByRole("link", { name: "Night shift" }).click();
		await page.getByRole("button", { name: "Clone" }).click();
		const clone = page.getByRole("dialog");
		await typeInto(clone.getByLabel("Name"), "Day shift");
		await clone.getByRole("button", { name: "Create the clone" }).click();
		await page.getByRole("heading", { level: 1, name: "Day shift" }).waitFor();
		await page.reload();
		await expect.poll(() => page.getByLabel("Saved queries", { exact: true }).inputValue()).toBe("1");
		await openMenuItem(page, "More for Day shift", "Delete");
		await page
			.getByRole("dialog")
			.getByText(/0 members lose/)
			.waitFor();
		await page.getByRole("button", { name: "Delete the group" }).click();
		await page.getByRole("heading", { level: 1, name: "Groups" }).waitFor();

		await page.getByRole("button", { name: "New group" }).first().click();
		const dialog = page.getByRole("dialog", { name: "New group" });
		await typeInto(dialog.getByLabel("Name"), "Readers");
		await chooseOption(dialog.getByLabel("Role template"), "Viewer");
		await dialog.getByText(/\d+ permissions\.$/).waitFor();
		await dialog.getByRole("button", { name: "Create the group" }).click();
		await page.getByRole("heading", { level: 1, name: "Readers" }).waitFor();
		await page.reload();
		await expect.poll(() => page.getByLabel("See queries and the class model").isChecked()).toBe(true);
		expect(await page.getByLabel("Make requests").isChecked()).toBe(false);
		await page.getByText(/^Advanced: all/).click();
		const queries = page
			.getByRole("region", { name: "Permissions of the group" })
			.getByRole("row", { name: /^Saved queries/ });
		await expect.poll(() => queries.getByRole("checkbox").first().isChecked()).toBe(true);
	});

	it("get direct permissions, and a reset code that sets a password", async () => {
		const page = service.page();
		await page.goto(`/users?q=${MEMBER}`);
		await page.getByRole("link", { name: MEMBER }).click();
		await page.getByRole("button", { name: "Direct permissions" }).click();
		await page
			.getByRole("region", { name: "Direct permissions" })
			.last()
			.getByRole("row", { name: /^Audit log/ })
			.getByRole("checkbox")
			.first()
			.click();
		await page.getByRole("button", { name: "Save" }).click();
		const rights = page.getByRole("region", { name: "Effective permissions" }).last();
		await page.getByText(/^Advanced: \d+ permission/).click();
		await rights.waitFor();
		await page.reload();
		await page.getByText(/^Advanced: \d+ permission/).click();
		await rights
			.getByRole("row", { name: /^Audit log/ })
			.getByText("direct")
			.waitFor();

		await openMenuItem(page, `More for ${MEMBER}`, "Generate a reset code");
		await page.getByRole("button", { name: "Generate the code" }).click();
		const shown = page.getByRole("dialog", { name: `Reset code for ${MEMBER}` });
		await shown.getByRole("button", { name: "Copy the code" }).click();
		await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).not.toBe("");
		const code = await page.evaluate(() => navigator.clipboard.readText());
		await page.keyboard.press("Escape");
		expect(await shown.isVisible()).toBe(true);
		await shown.getByLabel("I have passed on the code").click();
		await shown.getByRole("button", { name: "Done" }).click();

		const stranger = await service.openPage("/login");
		await stranger.getByRole("link", { name: /reset code/ }).click();
		await stranger.getByRole("link", { name: "I have a reset code" }).click();
		await typeInto(stranger.getByLabel("Reset code"), code);
		await typeInto(stranger.getByLabel("New password", { exact: true }), NEW_PASSWORD);
		await stranger.keyboard.press("Enter");
		await stranger.getByText("Password changed.").waitFor();
		await service.signIn(MEMBER, NEW_PASSWORD);
	});

	it("are deactivated, and sign in again once they are active", async () => {
		const page = service.page();
		await page.goto(`/users?q=${MEMBER}`);
		await page.getByRole("link", { name: MEMBER }).click();
		await openMenuItem(page, `More for ${MEMBER}`, "Deactivate");
		await page.getByRole("dialog").getByText(`All sessions of ${MEMBER} end at once`).waitFor();
		await page.getByRole("button", { name: "Deactivate the user" }).click();
		await page.getByText("Deactivated", { exact: true }).waitFor();
		const refused = await service.openPage("/login");
		await typeInto(refused.getByLabel("Username"), MEMBER);
		await typeInto(refused.getByLabel("Password", { exact: true }), NEW_PASSWORD);
		await refused.keyboard.press("Enter");
		await refused.getByRole("alert").waitFor();
		await openMenuItem(page, `More for ${MEMBER}`, "Activate");
		await page.getByText("Active", { exact: true }).waitFor();
		await refused.keyboard.press("Enter");
		await refused.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		await openMenuItem(page, `More for ${MEMBER}`, "Deactivate");
		await page.getByRole("button", { name: "Deactivate the user" }).click();
		await page.getByText("Deactivated", { exact: true }).waitFor();
		await refused.getByRole("link", { name: "Library", exact: true }).first().click();
		await refused.getByText("Your account is deactivated.").waitFor();
		await openMenuItem(page, `More for ${MEMBER}`, "Activate");
		await page.getByText("Active", { exact: true }).waitFor();
	});

	it("have API tokens, which call the API until they are revoked", async () => {
		const page = service.page();
		await page.goto("/me/tokens");
		await page.getByRole("button", { name: "New token" }).first().click();
		await typeInto(page.getByRole("dialog", { name: "New API token" }).getByLabel("Name"), "pipeline");
		await page.getByRole("button", { name: "Create the token" }).click();
		const secret = await takeSecret(page, "pipeline");
		await page.reload();
		await page.getByRole("row", { name: /^pipeline/ }).waitFor();
		expect(await findStatus("/api/auth/profile/", secret)).toBe(200);
		await page.getByRole("button", { name: "Revoke pipeline" }).click();
		await page.getByRole("button", { name: "Revoke the token" }).click();
		await page.getByText("pipeline is revoked").waitFor();
		expect(await findStatus("/api/auth/profile/", secret)).toBe(401);
	});

	it("are service accounts too, whose tokens have the rights of their account", async () => {
		const page = service.page();
		await page.goto("/users");
		await page.getByRole("button", { name: "New user" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New user" });
		await typeInto(drawer.getByLabel("Username"), "svc-lab");
		await chooseOption(drawer.getByLabel("Kind"), "Service account");
		await drawer.getByLabel("Everyone").click();
		await drawer.getByRole("button", { name: "Create the user" }).click();
		await page.getByRole("heading", { level: 1, name: "svc-lab" }).waitFor();
		await page.reload();
		await page.getByText("Without one, the account cannot be used.").waitFor();
		await page.getByRole("button", { name: "More for svc-lab" }).click();
		await page.getByRole("menuitem", { name: "Deactivate" }).waitFor();
		expect(await page.getByRole("menuitem", { name: /password|reset code/ }).count()).toBe(0);
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "New token" }).click();
		const dialog = page.getByRole("dialog", { name: "New API token of svc-lab" });
		await typeInto(dialog.getByLabel("Name"), "lab");
		await dialog.getByRole("button", { name: "Create the token" }).click();
		const secret = await takeSecret(page, "lab");
		await page.reload();
		await page.getByRole("row", { name: /^lab/ }).waitFor();
		expect(await findStatus("/api/queries/saved-queries/", secret)).toBe(200);
		expect(await findStatus("/api/auth/management/", secret)).toBe(403);
		await page.goto("/tokens");
		await page.getByRole("row", { name: /^lab/ }).getByRole("link", { name: "svc-lab" }).waitFor();
		await page.getByRole("button", { name: "Revoke lab" }).click();
		await page.getByRole("button", { name: "Revoke the token" }).click();
		await page.getByText("lab is revoked").waitFor();
		expect(await findStatus("/api/queries/saved-queries/", secret)).toBe(401);
	});
});
