/** The sign-in page of a demo offers its logins; that of a service has none. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startProgram, waitForOutput } from "../../server/test/support/spawned.ts";
import { describeInBrowser, findViolations } from "./browser.ts";

const main = fileURLToPath(new URL("../../demo/dist/main.js", import.meta.url));

describeInBrowser("the sign-in page", (web) => {
	let folder: string;
	let demo: ChildProcess;
	let url: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "weft-web-demo-"));
		const program = startProgram(process.execPath, [main], { environment: { WEFT_DATA_DIR: folder, WEFT_PORT: "0" } });
		demo = program.child;
		url = (await waitForOutput(program, /Open +(http:\S+?)\/\n/))[1] ?? "";
	});
	afterAll(async () => {
		if (demo?.exitCode === null) {
			demo.kill("SIGTERM");
			await once(demo, "close");
		}
		if (folder !== undefined) await rm(folder, { recursive: true, force: true });
	});

	it("of a demo signs in each of its people with one click", async () => {
		for (const username of ["ada", "olga", "victor"]) {
			const page = await web.open(`${url}/login`, { signedIn: false });
			await page.getByRole("button", { name: `Use ${username}` }).waitFor();
			expect(await page.getByRole("button", { name: /^Use / }).count()).toBe(3);
			expect(await findViolations(page)).toEqual([]);
			await page.getByRole("button", { name: `Use ${username}` }).click();
			await page.getByRole("heading", { name: "Overview" }).waitFor();
			await page.getByRole("button", { name: "Your account" }).getByText(username).waitFor();
		}
	});

	it("of a service offers no logins", async () => {
		const page = await web.open("/login", { signedIn: false });
		await page.getByRole("button", { name: "Sign in" }).waitFor();
		expect(await page.getByText("This is a demo.").count()).toBe(0);
		expect(await page.getByRole("button", { name: /^Use / }).count()).toBe(0);
	});
});
