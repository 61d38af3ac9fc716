/** Two people save the same thing: the second one sees the stored version, and decides. */
import {
	checkRoutes,
	connectionGroupRoutes,
	connectionRoutes,
	savedQueryRoutes,
	scheduleRoutes,
} from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";
import { getAutomation } from "./seed-automation.ts";

const CONFLICT = "Changed elsewhere since you opened it.";

describeInBrowser("a save that meets a newer version", (web) => {
	/** Reads the stored version in its dialog, closes it, and saves the own one. */
	async function seeTheirsAndSaveMine(page: Page, theirs: string): Promise<void> {
		const alert = page.getByRole("alert").filter({ hasText: CONFLICT });
		await alert.getByRole("button", { name: "See theirs" }).click();
		const dialog = page.getByRole("dialog", { name: "The stored version" });
		await dialog.getByText(theirs).first().waitFor();
		await page.keyboard.press("Escape");
		await dialog.waitFor({ state: "detached" });
		await alert.getByRole("button", { name: "Save mine" }).click();
		await alert.waitFor({ state: "detached" });
	}

	it("shows the newer canvas of a query beside the own one, and saves the own one on top", async () => {
		const id = await web.copyOfQuery("Edited by two");
		const first = await web.open(`/builder/${id}`);
		const second = await web.open(`/builder/${id}`);
		for (const [page, className] of [
			[first, "fvCtx"],
			[second, "fvAEPg"],
		] as const) {
			await page.getByText("class query").first().waitFor();
			await page.keyboard.press("a");
			await page.keyboard.type(className);
			await page.keyboard.press("Enter");
			await page.locator(".react-flow__node").filter({ hasText: className }).waitFor();
		}
		await second.keyboard.press("Control+s");
		await second.getByText(/^Saved as/).waitFor();
		// The list of queries is read again meanwhile: what this page began with stays the base.
		await first.keyboard.press("Control+s");
		await first.getByText(CONFLICT).waitFor();
		expect(await first.getByText("This page failed").count()).toBe(0);
		await seeTheirsAndSaveMine(first, "fvAEPg");
		await first.getByText(/^Saved as/).waitFor();
		const { flow_data } = await web.client().call(savedQueryRoutes.detail, { params: { id } });
		expect(JSON.stringify(flow_data)).toContain("fvCtx");
		expect(JSON.stringify(flow_data)).not.toContain("fvAEPg");
	});

	it("appears in the dialog of a query's name too", async () => {
		const id = await web.copyOfQuery("Named by two");
		const page = await web.open(`/builder/${id}`);
		await page.getByText("class query").first().waitFor();
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Name and settings" }).click();
		const dialog = page.getByRole("dialog", { name: "Save the query" });
		await dialog.getByLabel("Name").fill("My name");
		await web.client().call(savedQueryRoutes.update, { params: { id }, body: { name: "Their name" } });
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		await seeTheirsAndSaveMine(page, "Their name");
		await expect
			.poll(async () => (await web.client().call(savedQueryRoutes.detail, { params: { id } })).name)
			.toBe("My name");
	});

	it("keeps the rows and title of an automation request", async () => {
		const { template, request } = getAutomation(web);
		const { id: templateId } = await template({ requires_approval: true });
		const { client, refresh } = await web.user("conny", ["Operator"]);
		const { id } = await request(client, templateId, "First title");
		const first = await web.open(`/automation/requests/${id}/edit`, { as: refresh });
		const second = await web.open(`/automation/requests/${id}/edit`, { as: refresh });
		await first.getByLabel("Title").fill("Title of the first");
		await second.getByLabel("Title").fill("Title of the second");
		await second.getByRole("button", { name: "Save and submit for approval" }).click();
		await second.getByRole("heading", { level: 1, name: "Title of the second" }).waitFor();
		await first.getByRole("button", { name: "Save and submit for approval" }).click();
		await seeTheirsAndSaveMine(first, "Title of the second");
		await first.getByRole("heading", { level: 1, name: "Title of the first" }).waitFor();
	});

	it("keeps the fields of a schedule, a check, a connection and a group", async () => {
		const client = web.client();
		const schedule = await client.call(scheduleRoutes.detail, { params: { id: web.scheduleId } });
		const check = await client.call(checkRoutes.detail, { params: { id: web.checkId } });
		const connection = await client.call(connectionRoutes.detail, { params: { id: web.connectionId } });
		deleteAfterTest(client, connectionGroupRoutes, "Of two people");
		onTestFinished(async () => {
			for (const [route, { id, description }] of [
				[scheduleRoutes.update, schedule],
				[checkRoutes.update, check],
				[connectionRoutes.update, connection],
			] as const)
				await client.call(route as typeof checkRoutes.update, { params: { id }, body: { description } });
		});
		const page = await web.open(`/schedules/${schedule.id}`);
		await page.getByRole("button", { name: "Edit" }).click();
		const drawer = page.getByRole("dialog");
		await drawer.getByLabel("Description").fill("mine");
		await client.call(scheduleRoutes.update, { params: { id: schedule.id }, body: { description: "theirs" } });
		await drawer.getByRole("button", { name: "Save", exact: true }).click();
		await seeTheirsAndSaveMine(page, "theirs");
		const stored = async () => (await client.call(scheduleRoutes.detail, { params: { id: schedule.id } })).description;
		await expect.poll(stored).toBe("mine");

		await page.goto(`/checks/${check.id}/edit`);
		await page.getByLabel("Description").fill("my check");
		await client.call(checkRoutes.update, { params: { id: check.id }, body: { description: "their check" } });
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await seeTheirsAndSaveMine(page, "their check");
		await page.getByRole("heading", { level: 1, name: check.name }).waitFor();
		await page.getByText("my check").first().waitFor();

		await page.goto(`/settings/connections?edit=${web.connectionId}`);
		await page.getByLabel("Description").fill("my fabric");
		await client.call(connectionRoutes.update, {
			params: { id: web.connectionId },
			body: { description: "their fabric" },
		});
		await page.getByRole("button", { name: "Save without a test" }).click();
		await seeTheirsAndSaveMine(page, "their fabric");
		await expect
			.poll(async () => (await client.call(connectionRoutes.detail, { params: { id: web.connectionId } })).description)
			.toBe("my fabric");

		const body = { name: "Of two people", description: "", connection_ids: [web.connectionId], is_public: true };
		const group = await client.call(connectionGroupRoutes.create, { body });
		await page.goto(`/settings/connection-groups?edit=${group.id}`);
		await page.getByLabel("Description").fill("my group");
		await client.call(connectionGroupRoutes.update, { params: { id: group.id }, body: { description: "their group" } });
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await seeTheirsAndSaveMine(page, "their group");
	});

	it("does not appear where other fields were changed", async () => {
		const client = web.client();
		const check = await client.call(checkRoutes.detail, { params: { id: web.checkId } });
		const { id, description, for_runs } = check;
		onTestFinished(async () => {
			await client.call(checkRoutes.update, { params: { id }, body: { description, for_runs } });
		});
		const page = await web.open(`/checks/${check.id}/edit`);
		await page.getByLabel("Description").fill("only the words");
		const other = check.for_runs === 2 ? 3 : 2;
		await client.call(checkRoutes.update, { params: { id: check.id }, body: { for_runs: other } });
		await page.getByRole("button", { name: "Save", exact: true }).click();
		const stored = async () => {
			const { description, for_runs } = await client.call(checkRoutes.detail, { params: { id: check.id } });
			return { description, for_runs };
		};
		await expect.poll(stored).toEqual({ description: "only the words", for_runs: other });
	});
});
