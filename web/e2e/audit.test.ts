/** The audit log, attempts to sign in, and the settings of recording. */

import { readFileSync } from "node:fs";
import { auditRoutes, savedQueryRoutes } from "@weft/contracts";
import { createClient } from "@weft/sdk";
import { readXlsx } from "hucre/xlsx";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";

describeInBrowser("audit", (web) => {
	it("has filters in the address, facets with counts, and entries with their content", async () => {
		// The log keeps the entries of an earlier try.
		const name = `Watched by the log ${Date.now()}`;
		deleteAfterTest(web.client(), savedQueryRoutes, name);
		await web.client().call(savedQueryRoutes.create, {
			body: { name, flow_data: { nodes: [], edges: [] } },
		});
		const page = await web.open("/audit");
		const facet = page.getByRole("list", { name: "Categories" }).getByRole("button", { name: /^Queries/ });
		await facet.click();
		await page.waitForURL(/category=query_management/);
		await page.getByLabel("Words of the description").fill("Watched");
		await page.waitForURL(/q=Watched/);
		const entry = page.getByRole("region", { name: "Audit log" }).getByRole("button", { name: new RegExp(name) });
		await entry.click();
		const drawer = page.getByRole("dialog");
		await drawer.getByText("query_create").or(drawer.getByText("saved_query_create")).first().waitFor();
		await drawer.getByRole("button", { name: "Copy the request id" }).waitFor();
		await page.waitForURL(/entry=\d+/);
		// The address holds the view: opened anew, it is the same.
		await page.reload();
		await page.getByRole("dialog").getByRole("button", { name: "Entries with this action" }).click();
		await page.waitForURL(/action=/);
		await page.getByRole("dialog").waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Clear filters" }).click();
		await expect.poll(() => new URL(page.url()).search).not.toMatch(/category|q=|action/);
		// From one entry to all of its request, and from the id of an error's answer.
		await page.getByLabel("Words of the description").fill("Watched");
		await entry.click();
		await drawer.getByRole("button", { name: "Entries of this request" }).click();
		await page.waitForURL(/request=/);
		await page.getByText("1 entry", { exact: true }).waitFor();
		await page.getByLabel("Request id").fill("no-such-request");
		await page.getByText("No entry matches.").waitFor();
	});

	it("has the category with the most entries first among the facets", async () => {
		const page = await web.open("/");
		await page.route("**/api/audit/logs/stats/**", async (call) => {
			const answer = await call.fetch();
			const by_category = { admin_action: 2, authentication: 1, query_management: 30, user_management: 4 };
			await call.fulfill({ response: answer, json: { ...(await answer.json()), by_category } });
		});
		await page.goto("/audit");
		const facets = page.getByRole("list", { name: "Categories" }).getByRole("button");
		await facets.first().waitFor();
		expect((await facets.allTextContents()).map((text) => Number(/\d+$/.exec(text)?.[0]))).toEqual([30, 4, 2, 1]);
	});

	it("is exported, and says beforehand when not all entries fit", async () => {
		const page = await web.open("/audit?category=user_management&category=authentication");
		await page.getByRole("region", { name: "Audit log" }).waitFor();
		const save = async (item: string) => {
			const download = page.waitForEvent("download");
			await page.getByRole("button", { name: "Export", exact: true }).click();
			await page.getByRole("menuitem", { name: item, exact: true }).click();
			return download;
		};
		const csv = await save("As CSV");
		expect(csv.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
		expect(readFileSync(await csv.path(), "utf8").split("\n")[0]).toMatch(/action/);
		const { sheets } = await readXlsx(readFileSync(await (await save("As Excel")).path()));
		const [head = [], row = []] = sheets[0]?.rows ?? [];
		expect(head.slice(0, 3)).toEqual(["id", "created_at", "category"]);
		expect(typeof row[0]).toBe("number");
		const [entry] = JSON.parse(readFileSync(await (await save("As JSON")).path(), "utf8"));
		expect(Object.keys(entry)).toEqual(head);
		await page.route("**/api/audit/logs/?**", async (call) => {
			const answer = await call.fetch();
			await call.fulfill({ response: answer, json: { ...(await answer.json()), count: 23_456 } });
		});
		await page.reload();
		await page.getByText("23,456 entries").waitFor();
		await page.getByRole("button", { name: "Export", exact: true }).click();
		await page.getByRole("menuitem", { name: "As Excel" }).click();
		const dialog = page.getByRole("dialog", { name: "The export has a limit" });
		await dialog.getByText(/23,456 entries match; a file has at most 10,000/).waitFor();
		await dialog.getByRole("button", { name: "Export the first 10,000" }).waitFor();
		await page.keyboard.press("Escape");
	});

	it("lists attempts to sign in by user and result", async () => {
		await createClient({ baseUrl: web.url, retry: { limit: 0 } })
			.signIn("nobody.here", "wrong")
			.catch(() => {});
		const page = await web.open("/audit/sign-ins?result=failed");
		await page.getByLabel("Username").fill("nobody.here");
		await page.waitForURL(/username=nobody.here/);
		const row = page.getByRole("row", { name: /nobody\.here/ }).first();
		await row.getByText("Unknown user").waitFor();
		await page.getByLabel("Result").selectOption("ok");
		await page.getByText("No attempt matches.").waitFor();
	});

	it("has settings that say what a shorter retention deletes", async () => {
		const before = await web.client().call(auditRoutes.settings);
		onTestFinished(async () => void (await web.client().call(auditRoutes.updateSettings, { body: before })));
		const page = await web.open("/audit/settings");
		const days = page.getByLabel("Retention in days: Class model");
		await days.fill(String(before.mim_retention_days - 1));
		await page.getByText("Shorter retention of: Class model.").waitFor();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The audit settings are saved").waitFor();
		const after = await web.client().call(auditRoutes.settings);
		expect(after).toEqual({ ...before, mim_retention_days: before.mim_retention_days - 1 });
		await days.fill("0");
		expect(await days.evaluate((input: HTMLInputElement) => input.checkValidity())).toBe(false);
	});
});
