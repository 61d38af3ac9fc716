/** The account: second factor with backup codes, sessions, theme and keys. */
import { createHmac } from "node:crypto";
import { apiTokenRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { PASSWORD } from "./world.ts";

/** RFC 6238 with the usual thirty seconds and six digits. */
function getCode(secret: string, step: number): string {
	const bits = [...secret]
		.map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
		.join("");
	const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
	const counter = Buffer.alloc(8);
	counter.writeBigUInt64BE(BigInt(step));
	const digest = createHmac("sha1", key).update(counter).digest();
	const at = (digest.at(-1) ?? 0) & 15;
	return String((digest.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}
const stepNow = () => Math.floor(Date.now() / 30_000);

describeInBrowser("one's own account", (web) => {
	it("has a second factor whose codes must be kept before one can go on, and is asked for it", async () => {
		const { refresh } = await web.user("factor");
		const page = await web.open("/me/security", { as: refresh });
		await page.getByRole("button", { name: "Set up" }).click();
		const dialog = page.getByRole("dialog", { name: "Set up the second factor" });
		await dialog.getByAltText(/authenticator/).waitFor();
		const secret = ((await dialog.locator("p.mono").textContent()) ?? "").replace(/\s/g, "");
		await dialog.getByLabel("Code", { exact: true }).fill("000000");
		await page.keyboard.press("Enter");
		await dialog.getByText("The code is wrong or has expired.").waitFor();
		const used = stepNow();
		await dialog.getByLabel("Code", { exact: true }).fill(getCode(secret, used));
		await page.keyboard.press("Enter");
		const codes = page.getByRole("dialog", { name: "Your backup codes" });
		await codes.waitFor();
		expect(await codes.getByRole("list", { name: "Backup codes" }).getByRole("listitem").count()).toBe(8);
		const backup = await codes.getByRole("list", { name: "Backup codes" }).getByRole("listitem").first().textContent();
		await page.keyboard.press("Escape");
		const done = codes.getByRole("button", { name: "Done" });
		expect(await done.isDisabled()).toBe(true);
		await done.dispatchEvent("click");
		expect(await codes.isVisible()).toBe(true);
		await codes.getByLabel("I have stored the codes in a safe place").check();
		await codes.getByRole("button", { name: "Done" }).click();
		await page.getByText("8 backup codes left.").waitFor();

		const again = await web.open("/", { signedIn: false });
		await again.getByLabel("Username").fill("factor");
		await again.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await again.keyboard.press("Enter");
		await again.getByRole("heading", { name: "Two-factor authentication" }).waitFor();
		await again.getByLabel("Authenticator code").fill("000000");
		await again.keyboard.press("Enter");
		await again.getByText(/The code is wrong/).waitFor();
		await again.getByRole("button", { name: "Use a backup code" }).click();
		await again.getByLabel("Backup code").fill(backup ?? "");
		await again.keyboard.press("Enter");
		await again.getByRole("heading", { name: "Overview" }).waitFor();
	});

	it("ends its other sessions", async () => {
		const { refresh, client } = await web.user("sessions");
		await client.signIn("sessions", PASSWORD);
		const page = await web.open("/me/security", { as: refresh });
		await page.getByRole("button", { name: "End", exact: true }).first().click();
		await page.getByText("The session has ended").waitFor();
		await page.getByRole("button", { name: "End", exact: true }).waitFor({ state: "detached" });
	});

	it("ends all other sessions at once, and API tokens by default", async () => {
		const { refresh, client } = await web.user("sessions.all");
		await client.call(apiTokenRoutes.create, { body: { name: "nightly" } });
		await client.signIn("sessions.all", PASSWORD);
		await client.signIn("sessions.all", PASSWORD);
		const page = await web.open("/me/security", { as: refresh });
		await page.getByRole("button", { name: "End all others" }).click();
		const dialog = page.getByRole("dialog", { name: "End all other sessions?" });
		await expect.poll(() => dialog.getByLabel("End my API tokens too").isChecked()).toBe(true);
		await dialog.getByRole("button", { name: "End them" }).click();
		await page.getByText("2 sessions and 1 API token ended").waitFor();
		await page.getByText("This one").waitFor();
		expect(await page.getByRole("button", { name: "End", exact: true }).count()).toBe(0);
	});

	it("is asked whether its other sessions shall end once the second factor has changed", async () => {
		const { refresh, client } = await web.user("factor.changed");
		await client.signIn("factor.changed", PASSWORD);
		const page = await web.open("/me/security", { as: refresh });
		await page.getByRole("button", { name: "Set up" }).click();
		const dialog = page.getByRole("dialog", { name: "Set up the second factor" });
		await dialog.getByAltText(/authenticator/).waitFor();
		const secret = ((await dialog.locator("p.mono").textContent()) ?? "").replace(/\s/g, "");
		await dialog.getByLabel("Code", { exact: true }).fill(getCode(secret, stepNow()));
		await page.keyboard.press("Enter");
		const codes = page.getByRole("dialog", { name: "Your backup codes" });
		await codes.getByLabel("I have stored the codes in a safe place").check();
		await codes.getByRole("button", { name: "Done" }).click();
		const question = page.getByRole("dialog", { name: "End all other sessions?" });
		await question.getByText("Your second factor has changed.").waitFor();
		await question.getByLabel("End my API tokens too").uncheck();
		await question.getByRole("button", { name: "End them" }).click();
		await page.getByText("1 session and 0 API tokens ended").waitFor();

		await page.getByRole("button", { name: "Turn it off" }).click();
		const password = page.getByRole("dialog", { name: "Turn the second factor off" });
		await password.getByLabel("Your password", { exact: true }).fill(PASSWORD);
		await password.getByRole("button", { name: "Turn it off" }).click();
		await page.getByText("The second factor is off").waitFor();
		await page.getByRole("button", { name: "Set up" }).waitFor();
		expect(await question.isVisible()).toBe(false);
	});

	it("changes its zone, and every time with it", async () => {
		const { refresh } = await web.user("zone");
		const page = await web.open("/", { as: refresh });
		await page.getByRole("button", { name: "Use Europe/Paris" }).click();
		await page
			.getByText(/Europe\/Paris$/)
			.first()
			.waitFor();
		await page.goto("/me/profile");
		await page.getByLabel("Clock").selectOption("12h");
		await page.getByText(/now .*(am|pm)/).waitFor();
	});

	it("chooses theme and density, which last", async () => {
		const page = await web.open("/me/appearance", { theme: "light" });
		await page.getByText("Dark", { exact: true }).click();
		await page.locator('html[data-theme="dark"]').waitFor();
		await page.getByText("Comfortable", { exact: true }).click();
		await page.reload();
		await page.locator('html[data-theme="dark"][data-density="comfortable"]').waitFor();
	});

	it("changes keys and switches single ones off", async () => {
		const page = await web.open("/me/appearance");
		await page.getByRole("button", { name: /^Keys of Library/ }).click();
		await page.keyboard.press("q");
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: /^Keys of Library: q/ }).waitFor();
		await page.getByRole("heading", { name: "Appearance and keys" }).click();
		await page.keyboard.press("q");
		await page.getByRole("heading", { level: 1, name: "Library" }).waitFor();
		await page.goBack();
		await page.getByLabel("Single keys run commands").uncheck();
		await page.getByRole("heading", { name: "Appearance and keys" }).click();
		await page.keyboard.press("q");
		await page.keyboard.press("Control+k");
		await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
		expect(new URL(page.url()).pathname).toBe("/me/appearance");
	});

	it("with nothing in it begins with the first steps", async () => {
		const { refresh } = await web.user("newcomer");
		const page = await web.open("/", { as: refresh });
		const steps = page.getByRole("region", { name: "First steps" });
		await steps.getByRole("link", { name: "Draw a query and save it" }).waitFor();
		await steps.getByRole("listitem").filter({ hasText: "class model" }).getByRole("img", { name: "Done" }).waitFor();
		await page.goto("/builder/01890000-0000-7000-8000-000000000000");
		await page.getByText("Not found").waitFor();
	});
});
