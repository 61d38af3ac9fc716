/** Accounts of people who are gone from the directory, as administrators see them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@weft/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../server/test/support/free-port.ts";
import {
	BASE,
	buildPersonLdif,
	PASSWORD as DIRECTORY_PASSWORD,
	missing,
	PEOPLE,
	SERVICE,
	type Slapd,
	startSlapd,
} from "../../server/test/support/slapd.ts";
import { describeInBrowser, findViolations } from "./browser.ts";
import { PASSWORD, startWorld, USERNAME, type World } from "./world.ts";

const DAY_MS = 24 * 3_600_000;
const CLOCK = new URL("../../server/test/faults/clock.mjs", import.meta.url).href;

describe.skipIf(missing !== null)(`a directory${missing ? ` (${missing})` : ""}`, () => {
	describeInBrowser("accounts that are gone", (web) => {
		let folder = "";
		let slapd: Slapd;
		let world: World;
		beforeAll(async () => {
			folder = await mkdtemp(join(tmpdir(), "weft-gone-"));
			slapd = await startSlapd(PEOPLE);
			const clock = join(folder, "clock");
			await writeFile(clock, String(-3 * DAY_MS));
			world = await startWorld({
				WEFT_PORT: String(await freePort()),
				WEFT_LDAP_URI: `ldap://127.0.0.1:${slapd.port}`,
				WEFT_LDAP_BIND_DN: SERVICE.dn,
				WEFT_LDAP_BIND_PASSWORD: SERVICE.password,
				WEFT_LDAP_USER_BASE: `ou=people,${BASE}`,
				WEFT_ACCOUNT_RECHECK_DAYS: "2",
				NODE_OPTIONS: `--import ${CLOCK}`,
				FAULT_CLOCK: clock,
			});
			for (const name of ["bea", "cal"])
				await createClient({ baseUrl: world.url }).signIn(name, DIRECTORY_PASSWORD, "directory");
			await slapd.load(PEOPLE.replace(buildPersonLdif("bea"), ""));
			await writeFile(clock, "0");
			await world.restart();
		});
		afterAll(async () => {
			await world?.close();
			await slapd?.remove();
			await rm(folder, { recursive: true, force: true });
		});

		it("the filter finds gone accounts, which say since when, and a notification leads to the account", async () => {
			const client = createClient({ baseUrl: world.url });
			const answer = await client.signIn(USERNAME, PASSWORD);
			if (!("refresh" in answer)) throw new Error("The administrator needs a second factor.");
			const page = await web.open(`${world.url}/users`, { as: answer.refresh });
			await page.getByRole("link", { name: "cal", exact: true }).waitFor();
			await expect
				.poll(async () => (await client.call(client.routes.users.list, { query: { gone: "true" } })).count)
				.toBe(1);
			await page.getByLabel("State").selectOption({ label: "Gone" });
			await page.waitForURL(/state=gone/);
			await page.getByRole("link", { name: "cal", exact: true }).waitFor({ state: "detached" });
			await page.getByText(/^Gone since /).waitFor();
			expect(await findViolations(page)).toEqual([]);
			await page.getByRole("link", { name: /^Notifications: 1 unread/ }).click();
			await page
				.getByRole("listitem")
				.filter({ hasText: "The account bea is gone" })
				.getByRole("link", { name: "Open" })
				.click();
			await page.getByRole("heading", { level: 1, name: "bea" }).waitFor();
			await page.getByText(/^Gone since /).waitFor();
		});
	});
});
