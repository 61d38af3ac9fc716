/** Connections with the keyboard only: success, wrong password, untrusted certificate. */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authRoutes, connectionRoutes } from "@weft/contracts";
import { startController } from "@weft/lab";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";

async function fillForm(
	page: Page,
	fields: { name: string; url: string; user: string; password: string },
): Promise<void> {
	const dialog = page.getByRole("dialog");
	await dialog.getByLabel("Name", { exact: true }).fill(fields.name);
	await dialog.getByLabel("Address", { exact: true }).fill(fields.url);
	await dialog.getByLabel("User").fill(fields.user);
	await dialog.getByLabel("Password", { exact: true }).fill(fields.password);
}

describeInBrowser("connections", (web) => {
	it("are made, tested, mended and deleted", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "Second fabric");
		const body = { default_controller_connection_id: web.connectionId };
		onTestFinished(async () => void (await web.client().call(authRoutes.updatePreferences, { body })));
		const page = await web.open("/settings/connections");
		await page.getByRole("button", { name: "New connection" }).click();
		await fillForm(page, { name: "Second fabric", url: web.lab.url, user: web.lab.username, password: "wrong" });
		await page.getByRole("button", { name: "Save and test" }).click();
		await page
			.getByRole("alert")
			.getByText(/Check name and password/)
			.waitFor();
		// It is saved: the drawer goes on with it.
		await page
			.getByRole("dialog", { name: "Second fabric" })
			.getByLabel("Password", { exact: true })
			.fill(web.lab.password);
		await page.getByRole("button", { name: "Save and test" }).click();
		await page
			.getByRole("dialog")
			.getByText(/Signed in to the controller, version/)
			.waitFor();
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		const row = page.getByRole("row", { name: /Second fabric/ });
		await row.getByText("Reachable").waitFor();
		await row.getByRole("button", { name: "More for Second fabric" }).click();
		await page.getByRole("menuitem", { name: "Set as default" }).click();
		await row.getByText("Default", { exact: true }).waitFor();
		await row.getByRole("button", { name: "More for Second fabric" }).click();
		await page.getByRole("menuitem", { name: "Delete" }).click();
		await page.getByRole("button", { name: "Delete the connection" }).click();
		await row.waitFor({ state: "detached" });
		// A default that is gone is not replaced by chance.
		await page.getByRole("navigation", { name: "Main" }).getByText("Choose a fabric").waitFor();
	});

	it("ask on their form for whom they are", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "Team fabric");
		const page = await web.open("/settings/connections?edit=new");
		await fillForm(page, { name: "Team fabric", url: web.lab.url, user: web.lab.username, password: web.lab.password });
		const audience = page.getByRole("dialog").getByLabel("For", { exact: true });
		expect(await audience.locator("option").allInnerTexts()).toEqual(["Only me", "The whole team"]);
		await audience.selectOption("The whole team");
		await page.getByRole("button", { name: "Save and test" }).click();
		await page
			.getByRole("dialog")
			.getByText(/Signed in to the controller, version/)
			.waitFor();
		const { results } = await web.client().call(connectionRoutes.list, { query: { page_size: "100" } });
		const made = results.find(({ name }) => name === "Team fabric");
		expect(made).toMatchObject({ is_public: true });
		await page.goto(new URL("/settings/automation?edit=new", page.url()).href);
		const server = page.getByRole("dialog").getByLabel("For", { exact: true });
		await server.waitFor();
		expect(await server.locator("option").allInnerTexts()).toEqual(["Only me", "The whole team"]);
	});

	it("show by field what the service does not take", async () => {
		const page = await web.open("/settings/connections?edit=new");
		await fillForm(page, { name: "Odd one", url: "https://user:secret@host", user: "a", password: "b" });
		await page.getByRole("button", { name: "Save without a test" }).click();
		const field = page.getByLabel("Address", { exact: true });
		await page.getByText("Must not contain credentials; they have fields of their own.").waitFor();
		expect(await field.getAttribute("aria-invalid")).toBe("true");
	});

	it("take an address without a scheme as https, and a test is of what is shown", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "No scheme");
		const page = await web.open("/settings/connections?edit=new");
		await fillForm(page, { name: "No scheme", url: "127.0.0.1:1", user: "a", password: "b" });
		expect(await page.getByLabel("Address", { exact: true }).inputValue()).toBe("https://127.0.0.1:1");
		await page.getByRole("button", { name: "Save and test" }).click();
		await page
			.getByRole("alert")
			.getByText(/refused the connection/)
			.waitFor();
		await page.getByLabel("Address", { exact: true }).fill("127.0.0.1:2");
		await page.getByRole("alert").waitFor({ state: "detached" });
		await page.keyboard.press("Escape");
	});

	it("of any length keep their rows low and their verbs in sight", async () => {
		const name = `${"datacentre-north-building-".repeat(3)}fabric`;
		deleteAfterTest(web.client(), connectionRoutes, name);
		await web.client().call(connectionRoutes.create, {
			body: { name, url: `https://${"a-long-label.".repeat(8)}example.net`, username: "u".repeat(80), password: "x" },
		});
		const page = await web.open("/settings/connections");
		const row = page.getByRole("row", { name: new RegExp(name) });
		const box = await row.boundingBox();
		expect(box?.height).toBeLessThan(50);
		const verb = await row.getByRole("button", { name: `More for ${name}` }).boundingBox();
		expect((verb?.x ?? 9_999) + (verb?.width ?? 0)).toBeLessThanOrEqual(1_440);
		await page.setViewportSize({ width: 900, height: 800 });
		await expect
			.poll(async () => {
				const narrow = await row.getByRole("button", { name: `More for ${name}` }).boundingBox();
				return (narrow?.x ?? 9_999) + (narrow?.width ?? 0);
			})
			.toBeLessThanOrEqual(900);
	});

	it("tell what is wrong with a certificate, and what to do", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "Self-signed");
		const folder = mkdtempSync(join(tmpdir(), "weft-tls-"));
		const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
		execFileSync(
			"openssl",
			[
				"req",
				"-x509",
				"-newkey",
				"rsa:2048",
				"-nodes",
				"-days",
				"3",
				"-subj",
				"/CN=lab",
				"-addext",
				"subjectAltName=IP:127.0.0.1",
				...files,
			],
			{ stdio: "ignore" },
		);
		const tls = {
			key: readFileSync(join(folder, "key.pem"), "utf8"),
			cert: readFileSync(join(folder, "cert.pem"), "utf8"),
		};
		rmSync(folder, { recursive: true });
		const lab = await startController({ size: "empty", tls });
		try {
			const page = await web.open("/settings/connections?edit=new");
			await fillForm(page, { name: "Self-signed", url: lab.url, user: lab.username, password: lab.password });
			await page.getByRole("button", { name: "Save and test" }).click();
			await page
				.getByRole("alert")
				.getByText(/Trust this certificate below/)
				.waitFor();
			// Its own fingerprint is shown, and trusted at once with the password that was entered.
			const { fingerprint256 } = new X509Certificate(tls.cert);
			await page.getByRole("dialog").getByText(fingerprint256).waitFor();
			expect(await page.locator("dt", { hasText: "Issued by" }).locator("+ dd").textContent()).toBe("itself");
			expect(await findViolations(page)).toEqual([]);
			await page.getByRole("button", { name: "Trust this certificate" }).press("Enter");
			await page
				.getByRole("dialog")
				.getByText(/Signed in to the controller/)
				.waitFor();
			expect(await page.getByLabel("Trusted certificates").inputValue()).toBe(fingerprint256);
			await page.getByLabel("Trusted certificates").fill("AB:CD");
			await page.getByRole("button", { name: "Save and test" }).click();
			await page.getByText(/Must be the SHA-256 fingerprint/).waitFor();
			await page.getByLabel("Trusted certificates").fill("");
			await page.getByRole("dialog").getByLabel("Password", { exact: true }).fill(lab.password);
			await page.getByLabel("Verify the certificate").uncheck();
			await page.getByText("Anyone between Weft and the controller could read the password.").waitFor();
			await page.getByRole("button", { name: "Save and test" }).click();
			await page
				.getByRole("dialog")
				.getByText(/Signed in to the controller/)
				.waitFor();
		} finally {
			await lab.close();
		}
	});

	it("have the other controllers of their fabric, with states, and take over those that a test found", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "Cluster");
		const lab = await startController({ members: 3 });
		try {
			const page = await web.open("/settings/connections?edit=new");
			await fillForm(page, { name: "Cluster", url: lab.url, user: lab.username, password: lab.password });
			await page.getByRole("button", { name: "Save and test" }).click();
			await page.getByText("The fabric has 2 controllers more.").waitFor();
			await page.getByRole("button", { name: "Add", exact: true }).click();
			const port = new URL(lab.url).port;
			const others = page.getByLabel("Other addresses");
			expect(await others.inputValue()).toBe(`http://192.168.10.12:${port}\nhttp://192.168.10.13:${port}`);
			const [, two = "", three = ""] = lab.members.map(({ url }) => url);
			await others.fill(`${two} ${three}`);
			await page.getByRole("dialog").getByLabel("Password", { exact: true }).fill(lab.password);
			await lab.members[2]?.setFaults({ down: true });
			await page.getByRole("button", { name: "Save and test" }).click();
			await page.getByText(`Not in use: ${three} (down).`).first().waitFor();
			const members = page.getByRole("list", { name: "Controllers" });
			await members.getByText("Down", { exact: true }).waitFor();
			expect(await members.getByText("In use", { exact: true }).count()).toBe(2);
			expect(await findViolations(page)).toEqual([]);
			await page.getByRole("button", { name: "Done" }).click();
			await page
				.getByRole("row", { name: /Cluster/ })
				.getByText("2 of 3 controllers in use")
				.waitFor();
			expect(await findViolations(page)).toEqual([]);
		} finally {
			await lab.close();
		}
	});

	it("are made with a certificate, and go back to a password", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "Signed fabric");
		const keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
		const pem = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
		const certificates = [{ user: "weft", name: "ci", pem }];
		const lab = await startController({ size: "empty", certificates });
		const key = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "a passphrase" } as const;
		try {
			const page = await web.open("/settings/connections?edit=new");
			const dialog = page.getByRole("dialog");
			await dialog.getByLabel("Name", { exact: true }).fill("Signed fabric");
			await dialog.getByLabel("Address", { exact: true }).fill(lab.url);
			await dialog.getByRole("button", { name: "Sign in with a certificate" }).click();
			await dialog.getByLabel("Certificate DN").fill("uni/userext/user-weft/usercert-other");
			await dialog.getByLabel("Private key", { exact: true }).fill(keys.privateKey.export(key).toString());
			await page.getByRole("button", { name: "Save and test" }).click();
			await dialog.getByText("The private key is encrypted. Enter its passphrase.").waitFor();
			await dialog.getByLabel("Passphrase of the key").fill("a passphrase");
			await page.getByRole("button", { name: "Save and test" }).click();
			await page
				.getByRole("alert")
				.getByText(/Add the certificate .*usercert-other to the user/)
				.waitFor();
			await dialog.getByLabel("Certificate DN").fill("uni/userext/user-weft/usercert-ci");
			await page.getByRole("button", { name: "Save and test" }).click();
			await dialog.getByText(/Signed in to the controller, version|Signed in to the controller\./).waitFor();
			await page.keyboard.press("Escape");
			const row = page.getByRole("row", { name: /Signed fabric/ });
			await row.getByLabel("Signs in with a certificate").waitFor();

			// The key is kept; another method needs its own secret.
			await row.getByRole("button", { name: "Signed fabric", exact: true }).click();
			expect(await dialog.getByLabel("Private key", { exact: true }).inputValue()).toBe("");
			await dialog.getByLabel("Description").fill("still signed");
			await page.getByRole("button", { name: "Save without a test" }).click();
			await dialog.waitFor({ state: "detached" });
			await row.getByRole("button", { name: "Signed fabric", exact: true }).click();
			await dialog.getByRole("button", { name: "Sign in with a password" }).click();
			await dialog.getByLabel("User").fill(lab.username);
			await dialog.getByLabel("Password", { exact: true }).fill(lab.password);
			await page.getByRole("button", { name: "Save and test" }).click();
			await dialog.getByText(/Signed in to the controller/).waitFor();
			await page.keyboard.press("Escape");
			await row.getByLabel("Signs in with a certificate").waitFor({ state: "detached" });
		} finally {
			await lab.close();
		}
	});

	it("of a user who may not read the fabric are confirmed as one fabric by an administrator", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "Restricted user");
		const lab = await startController({ members: 2 });
		try {
			for (const member of lab.members) await member.setFaults({ access_denied: { match: "fabricNode" } });
			const page = await web.open("/settings/connections?edit=new");
			await fillForm(page, { name: "Restricted user", url: lab.url, user: lab.username, password: lab.password });
			const dialog = page.getByRole("dialog");
			const confirm = dialog.getByLabel("These addresses are one fabric");
			expect(await confirm.count()).toBe(0);
			await dialog.getByLabel("Other addresses").fill(lab.members[1]?.url ?? "");
			await page.getByRole("button", { name: "Save and test" }).click();
			await dialog.getByText(/may not read the serial of node 1 \(fabricNode.serial\)/).waitFor();
			await confirm.check();
			await page.getByRole("button", { name: "Save and test" }).click();
			await dialog.getByText(/Signed in to the controller/).waitFor();
			expect(await dialog.getByText(/fabricNode.serial/).count()).toBe(0);
			expect(await findViolations(page)).toEqual([]);
			await page.getByRole("button", { name: "Done" }).click();
			await dialog.waitFor({ state: "detached" });
			await page.getByRole("button", { name: "Restricted user", exact: true }).click();
			expect(await confirm.isChecked()).toBe(true);
		} finally {
			await lab.close();
		}
	});

	it("are made with keys alone", async () => {
		deleteAfterTest(web.client(), connectionRoutes, "By keys");
		const page = await web.open("/settings/connections");
		await page.getByRole("button", { name: "New connection" }).waitFor();
		await page.keyboard.press("c");
		await page.getByRole("dialog", { name: "New connection" }).waitFor();
		for (const value of ["By keys", web.lab.url, web.lab.username]) {
			await page.keyboard.type(value);
			await page.keyboard.press("Tab");
		}
		await page.keyboard.type(web.lab.password);
		await page.keyboard.press("Enter");
		await page.getByRole("button", { name: "Done" }).waitFor();
		await page.keyboard.press("Enter");
		await page.getByRole("dialog").waitFor({ state: "detached" });
		await page.getByRole("button", { name: "By keys", exact: true }).waitFor();
	});
});
