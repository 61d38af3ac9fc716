/** Importing a class model: progress, cancel, resume after a reload, failed classes, activation. */
import { mimRegistryRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { afterEach, expect, it } from "vitest";
import { describeInBrowser, type Web } from "./browser.ts";

const getPanel = (page: Page) =>
	page.locator("section", { has: page.getByRole("heading", { level: 2, name: /^Import of/ }) });

async function beginImport(page: Page, version: string): Promise<void> {
	await page.getByLabel("Version", { exact: true }).selectOption(version);
	await page.getByRole("button", { name: "Import", exact: true }).click();
	await getPanel(page).waitFor();
}

async function readActiveVersion(web: Web): Promise<string | undefined> {
	const { active } = await web.client().call(mimRegistryRoutes.status);
	return active?.version_key;
}

describeInBrowser("importing a model", (web) => {
	afterEach(() => web.sourceFaults({ latency: false, server_error: false }));

	it("shows how far it is, can be stopped, and goes on after a reload", async () => {
		await web.sourceFaults({ latency: { on: true, ms: 150 } });
		const page = await web.open("/settings/model");
		await beginImport(page, "601");
		const steps = getPanel(page).getByRole("list", { name: "Steps" });
		await steps.locator('[aria-current="step"]').getByText("Fetching classes").waitFor();
		await getPanel(page)
			.getByText(/\d+ of \d+ classes known so far/)
			.waitFor();
		await getPanel(page).getByRole("progressbar").waitFor();
		await page.getByRole("button", { name: /^Jobs/ }).click();
		await page.getByRole("link", { name: "Class model 6.0(1)" }).waitFor();
		await page.reload();
		await getPanel(page).getByRole("button", { name: "Stop" }).click();
		await getPanel(page).getByText("Stopped.").waitFor();
		expect(await readActiveVersion(web)).toBe("521");
		await page.reload();
		await web.sourceFaults({ latency: false });
		await getPanel(page).getByRole("button", { name: "Resume" }).click();
		await getPanel(page).getByText("6.0(1) is installed and in use.").waitFor();
		const row = page.getByRole("row", { name: /6\.0\(1\)/ });
		await row.getByText("Active").waitFor();
	});

	it("goes back to a version that is installed", async () => {
		const page = await web.open("/settings/model");
		await page.getByRole("button", { name: "Use 5.2(1)" }).first().click();
		await page.getByRole("dialog").getByRole("button", { name: "Use this version" }).click();
		await page
			.getByRole("row", { name: /5\.2\(1\)/ })
			.getByText("Active")
			.waitFor();
		expect(await readActiveVersion(web)).toBe("521");
	});

	it("names the classes that failed, and tries them again", async () => {
		await web.sourceFaults({ server_error: { on: true, match: "/[a-f]\\w*/[A-M]", status: 400 } });
		const page = await web.open("/settings/model");
		await beginImport(page, "611");
		const failed = getPanel(page).getByRole("region", { name: "Classes that failed" });
		await failed.getByText("the source answered 400").first().waitFor();
		await getPanel(page).getByText("The import failed.").waitFor();
		await web.sourceFaults({ server_error: false });
		await getPanel(page).getByRole("button", { name: "Resume" }).click();
		await getPanel(page).getByText("6.1(1) is installed and in use.").waitFor();
		await failed.waitFor({ state: "detached" });
	});

	it("is not offered to those who may not", async () => {
		const { refresh } = await web.user("reader");
		const page = await web.open("/settings/model", { as: refresh });
		await page.getByRole("heading", { level: 1, name: "Model versions" }).waitFor();
		await page.getByText("Permission denied").or(page.getByText("6.1(1)").first()).first().waitFor();
		expect(await page.getByRole("button", { name: "Import", exact: true }).count()).toBe(0);
	});
});
