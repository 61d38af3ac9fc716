/** Journeys that lead through a mailbox: an address is verified, a forgotten password replaced. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../server/test/support/free-port.ts";
import { type MailSink, startMailSink } from "../../server/test/support/mail-sink.ts";
import { describeInBrowser } from "./browser.ts";
import { PASSWORD, startWorld, USERNAME, type World } from "./world.ts";

const ADDRESS = "ada@example.com";
const NEXT_PASSWORD = "staple battery horse correct";

describeInBrowser("by mail", (web) => {
	let world: World;
	let mails: MailSink;
	let frontend = "";
	beforeAll(async () => {
		mails = await startMailSink();
		const port = await freePort();
		frontend = `http://127.0.0.1:${port}`;
		world = await startWorld({
			WEFT_PORT: String(port),
			WEFT_FRONTEND_URL: frontend,
			WEFT_SMTP_URL: mails.url,
			WEFT_SMTP_FROM: "weft@example.com",
		});
	});
	afterAll(async () => {
		await world?.close();
		await mails?.close();
	});

	const open = (path: string) => web.open(`${frontend}${path}`, { signedIn: false });
	async function signIn(page: Page, password: string): Promise<void> {
		await page.getByLabel("Username").fill(USERNAME);
		await page.getByLabel("Password", { exact: true }).fill(password);
		await page.keyboard.press("Enter");
	}
	/** Waits for one mail after the first `before`, and returns the link in it. */
	async function findNextLink(before: number): Promise<string> {
		await expect.poll(() => mails.received.length).toBe(before + 1);
		const text = (mails.received.at(-1)?.body ?? "").replace(/=\r?\n/g, "").replace(/=3D/g, "=");
		return /https?:\/\/\S+/.exec(text)?.[0] ?? "";
	}

	it("an address is verified by the link, and the profile says so", async () => {
		const page = await open("/me/profile");
		await signIn(page, PASSWORD);
		await page.getByLabel("Email address").fill(ADDRESS);
		await page.getByRole("button", { name: "Save" }).first().click();
		await page.getByText("Not verified yet.").waitFor();
		const before = mails.received.length;
		await page.getByRole("button", { name: "Send the verification mail" }).click();
		await page.getByText("Mail sent").waitFor();
		const link = await findNextLink(before);
		expect(mails.received.at(-1)?.to).toEqual([ADDRESS]);
		const followed = await open("/login");
		await followed.goto(link);
		await followed.getByText(/address is verified/i).waitFor();
		await page.reload();
		await page.getByText("Verified.", { exact: true }).waitFor();
	});

	it("a forgotten password is replaced once by the link, which then is worth nothing", async () => {
		const page = await open("/login");
		await page.getByRole("link", { name: /Forgotten|Forgot/ }).click();
		await page.getByLabel("Email address of your account").fill(ADDRESS);
		const before = mails.received.length;
		await page.getByRole("button", { name: "Send the link" }).click();
		await page.getByText("If an account has this address, a mail has been sent.").waitFor();
		const link = await findNextLink(before);
		await page.goto(link);
		await page.getByLabel("New password").fill("short");
		await page.getByRole("button", { name: "Set the password" }).click();
		await page.getByText(/at least \d+ characters/).waitFor();
		await page.getByLabel("New password").fill(NEXT_PASSWORD);
		await page.getByRole("button", { name: "Set the password" }).click();
		await page.getByText("Password changed.").waitFor();
		await page.getByRole("link", { name: "Sign in" }).click();
		await signIn(page, PASSWORD);
		await page.getByText("The username or the password is wrong.").waitFor();
		await signIn(page, NEXT_PASSWORD);
		await page.getByRole("heading", { name: "Overview" }).waitFor();

		const again = await open("/login");
		await again.goto(link);
		await again.getByLabel("New password").fill(`${NEXT_PASSWORD} again`);
		await again.getByRole("button", { name: "Set the password" }).click();
		await again.getByRole("alert").waitFor();
	});
});
