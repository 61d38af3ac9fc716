/** API tokens: one's own, those of service accounts, and those of all users. */
import { apiTokenRoutes, authRoutes, connectionRoutes, userRoutes } from "@weft/contracts";
import { createClient } from "@weft/sdk";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations, type Web } from "./browser.ts";
import { PASSWORD } from "./world.ts";

const withToken = (web: Web, token: string) => createClient({ baseUrl: web.url, token });
const getRefusal = (web: Web, token: string) =>
	withToken(web, token)
		.call(authRoutes.profile)
		.then(
			() => null,
			(error: { body?: { code?: string } }) => error.body?.code,
		);

/** Reads the secret of the dialog, which is left by saying that it was stored. */
async function takeSecret(page: Page, name: string): Promise<string> {
	const shown = page.getByRole("dialog", { name: `API token ${name}` });
	const secret = (await shown.locator("p.mono > span").first().textContent()) ?? "";
	await shown.getByLabel("I have stored the token in a safe place").check();
	await shown.getByRole("button", { name: "Done" }).click();
	await shown.waitFor({ state: "detached" });
	return secret;
}

/** Whether nothing is cut off at the side of the page and of the open dialog. */
const hasNoOverflow = (page: Page) =>
	page.evaluate(() =>
		[document.documentElement, ...document.querySelectorAll("main, dialog, dialog [data-body]")].every(
			({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth,
		),
	);

describeInBrowser("API tokens", (web) => {
	it("are created with keys alone, used, seen in use and revoked", async () => {
		const { refresh } = await web.user("token.maker", ["Editor"]);
		const page = await web.open("/", { as: refresh });
		await page.getByRole("button", { name: "Your account" }).focus();
		await page.keyboard.press("Enter");
		await page.getByRole("menuitem", { name: "API tokens" }).focus();
		await page.keyboard.press("Enter");
		await page.getByText("No API token. Create one").waitFor();
		await page.keyboard.press("c");
		await page.getByRole("dialog", { name: "New API token" }).waitFor();
		await page.keyboard.type("pipeline");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Tab");
		await page.keyboard.press("ControlOrMeta+A");
		await page.keyboard.type("30");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await page.keyboard.press("Enter");

		const shown = page.getByRole("dialog", { name: "API token pipeline" });
		await shown.getByText("The token is shown only once.").waitFor();
		const secret = (await shown.locator("p.mono > span").first().textContent()) ?? "";
		expect(secret).toMatch(/^weft_pat_[0-9A-Za-z]{49}$/);
		await shown.getByText(`export WEFT_URL='${web.url}' WEFT_TOKEN=${secret}`, { exact: true }).waitFor();
		await shown.getByText('curl -H "Authorization: Bearer $WEFT_TOKEN" "$WEFT_URL/api/auth/profile/"').waitFor();
		await page.keyboard.press("Escape");
		expect(await shown.isVisible()).toBe(true);
		for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await shown.waitFor({ state: "detached" });

		const row = page.getByRole("row", { name: /^pipeline/ });
		await row.getByText("Read-only").waitFor();
		await row.getByText("All of mine").waitFor();
		await row.getByText("Never", { exact: true }).waitFor();
		expect(await page.content()).not.toContain(secret);
		expect((await withToken(web, secret).call(authRoutes.profile)).username).toBe("token.maker");
		await expect
			.poll(async () => {
				await page.reload();
				await row.waitFor();
				return row.getByText(/just now from 127\.0\.0\.1|just now from ::1/).count();
			})
			.toBe(1);

		await row.getByRole("button", { name: "Revoke pipeline" }).focus();
		await page.keyboard.press("Enter");
		const question = page.getByRole("dialog", { name: "Revoke pipeline?" });
		await question.getByText(/refused at their next request/).waitFor();
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await page.getByText("pipeline is revoked").waitFor();
		await page.getByText("No API token. Create one").waitFor();
		expect(await getRefusal(web, secret)).toBe("token_revoked");
	});

	it("are limited to chosen permissions and networks; errors are at their fields", async () => {
		const { refresh, client } = await web.user("token.limits", ["Viewer"]);
		const page = await web.open("/me/tokens?edit=new", { as: refresh });
		const dialog = page.getByRole("dialog", { name: "New API token" });
		await dialog.getByLabel("Name").fill("narrow");
		await dialog.getByLabel("Expires").selectOption("Never");
		await dialog.getByLabel("Permissions", { exact: true }).selectOption("Selected permissions");
		const matrix = dialog.getByRole("region", { name: "Permissions of the token" });
		const own = await client.call(apiTokenRoutes.options);
		await expect.poll(() => matrix.getByRole("checkbox").count()).toBe(own.permissions.length);
		await matrix
			.getByRole("row", { name: /^Saved queries/ })
			.getByRole("checkbox")
			.first()
			.check();
		await dialog.getByText("1 selected.").waitFor();
		await dialog.getByLabel("Networks").fill("10.0.0.0/33\n127.0.0.0/8");
		await dialog.getByRole("button", { name: "Create the token" }).click();
		const error = dialog.getByText('"10.0.0.0/33" is no network. Write one such as 10.1.0.0/16.');
		await error.waitFor();
		const field = dialog.getByLabel("Networks");
		expect(await field.getAttribute("aria-invalid")).toBe("true");
		expect(await field.getAttribute("aria-describedby")).toContain(
			await error.evaluate((element) => element.closest("[id]")?.id),
		);
		await field.fill("127.0.0.0/8\n::1/128");
		await dialog.getByRole("button", { name: "Create the token" }).click();
		const secret = await takeSecret(page, "narrow");
		const row = page.getByRole("row", { name: /^narrow/ });
		await row.getByText("1 permission selected").waitFor();
		await row.getByText("127.0.0.0/8, ::1/128").waitFor();
		const { results } = await client.call(apiTokenRoutes.list, { query: {} });
		const view = own.permissions.find(({ codename }) => codename === "view_savedquery")?.id;
		expect(results).toMatchObject([{ name: "narrow", permission_ids: [view], expires_at: null, read_only: false }]);
		await expect(withToken(web, secret).call(connectionRoutes.list, { query: {} })).rejects.toThrow();
	});

	it("are created after the user confirms a sign-in that is too long ago, with what was entered", async () => {
		const { refresh } = await web.user("token.confirmer", ["Editor"]);
		const page = await web.open("/me/tokens", { as: refresh });
		let isRecent = false;
		await page.route("**/api/auth/tokens/", (route) =>
			isRecent || route.request().method() !== "POST"
				? route.continue()
				: route.fulfill({ status: 403, json: { detail: "Sign in again.", code: "reauthentication_required" } }),
		);
		await page.getByRole("button", { name: "New token" }).click();
		const dialog = page.getByRole("dialog", { name: "New API token" });
		await dialog.getByLabel("Name").fill("confirmed");
		await dialog.getByRole("button", { name: "Create the token" }).click();
		await dialog.getByText("Confirm that it is you.").waitFor();
		await dialog.getByLabel("Your password", { exact: true }).fill("wrong");
		await dialog.getByRole("button", { name: "Confirm and continue" }).click();
		await expect
			.poll(() => dialog.getByLabel("Your password", { exact: true }).getAttribute("aria-invalid"))
			.toBe("true");
		isRecent = true;
		await dialog.getByLabel("Your password", { exact: true }).fill(PASSWORD);
		await dialog.getByRole("button", { name: "Confirm and continue" }).click();
		await takeSecret(page, "confirmed");
		await page.getByRole("row", { name: /^confirmed/ }).waitFor();
	});

	it("end within the service's bound", async () => {
		const { refresh, client } = await web.user("token.bound");
		const page = await web.open("/me/tokens", { as: refresh });
		await page.route("**/api/auth/tokens/options/", (route) =>
			route.fulfill({ json: { permissions: [], max_days: 30, default_days: 30 } }),
		);
		await page.getByRole("button", { name: "New token" }).click();
		const dialog = page.getByRole("dialog", { name: "New API token" });
		await dialog.getByText("At most 30 days.").waitFor();
		await expect.poll(() => dialog.getByLabel("Days").inputValue()).toBe("30");
		expect(await dialog.getByLabel("Expires").locator("option").allTextContents()).not.toContain("Never");
		await dialog.getByLabel("Name").fill("dated");
		await dialog.getByLabel("Expires").selectOption("On a date");
		const date = dialog.getByLabel("Date");
		const last = String(await dialog.locator('input[type="date"]').getAttribute("max"));
		await date.fill(last);
		await dialog.getByRole("button", { name: "Create the token" }).click();
		await takeSecret(page, "dated");
		const { results } = await client.call(apiTokenRoutes.list, { query: {} });
		// The user has no zone of their own yet: the service's default is UTC.
		expect(results[0]?.expires_at).toBe(`${last}T00:00:00.000Z`);
	});

	it("of one user are reached from the user's page", async () => {
		const { client } = await web.user("token.owner", ["Editor"]);
		await client.call(apiTokenRoutes.create, { body: { name: "hers" } });
		const found = await web.client().call(userRoutes.list, { query: { search: "token.owner" } });
		const page = await web.open(`/users/${found.results[0]?.id}`);
		await page.getByRole("link", { name: "API tokens" }).click();
		await page.getByText("1 token", { exact: true }).waitFor();
		await page.getByRole("row", { name: /^hers/ }).waitFor();
		await page.getByRole("link", { name: "All users" }).click();
		await page.getByRole("row", { name: /^nightly-drift/ }).waitFor();
	});

	it("hold the rules of accessibility and fit a phone, in both themes", async () => {
		const { refresh } = await web.user("token.rules", ["Editor"]);
		for (const theme of ["light", "dark"] as const) {
			const page = await web.open("/me/tokens?edit=new", { as: refresh, theme, width: 390, height: 780 });
			const dialog = page.getByRole("dialog", { name: "New API token" });
			await dialog.getByLabel("Permissions", { exact: true }).selectOption("Selected permissions");
			await dialog.getByRole("row", { name: /^Saved queries/ }).waitFor();
			expect({ [theme]: await findViolations(page) }).toEqual({ [theme]: [] });
			await expect.poll(() => hasNoOverflow(page)).toBe(true);
			await dialog.getByLabel("Name").fill(`a token with a long name, ${theme}`);
			await page.keyboard.press("Enter");
			const shown = page.getByRole("dialog", { name: /^API token a token/ });
			await shown.waitFor();
			expect({ [theme]: await findViolations(page) }).toEqual({ [theme]: [] });
			await expect.poll(() => hasNoOverflow(page)).toBe(true);
			await shown.getByLabel("I have stored the token in a safe place").check();
			await shown.getByRole("button", { name: "Done" }).click();
			await page
				.getByRole("button", { name: /^Revoke a token/ })
				.first()
				.click();
			await page.getByRole("dialog", { name: /^Revoke a token/ }).waitFor();
			expect({ [theme]: await findViolations(page) }).toEqual({ [theme]: [] });
			await expect.poll(() => hasNoOverflow(page)).toBe(true);
		}
	});
});
