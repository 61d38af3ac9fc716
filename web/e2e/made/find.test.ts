/** An object is found by keys from anywhere, on a service that starts empty. */
import { startController } from "@weft/lab";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeOnEmptyService, makeConnection, makeQuery } from "./empty-service.ts";

/** The MAC address of the simulated bridge domains, in three notations. */
const MACS = ["00:22:BD:F8:19:FF", "0022.bdf8.19ff", "0022bdf819ff"];

/** Opens the palette on a page, types a text, and chooses the first object by Enter. */
async function findByKeys(page: Page, text: string, option: RegExp): Promise<void> {
	await page.keyboard.press("Control+k");
	const palette = page.getByRole("dialog", { name: "Search or run a command" });
	await palette.waitFor();
	await page.keyboard.type(text);
	await palette.getByRole("option", { name: option }).first().waitFor();
	await page.keyboard.press("Enter");
	await page.waitForURL(/\/objects\?/);
	await page.getByRole("heading", { level: 2, name: "Changes" }).waitFor();
}

/** Opens all objects with a text from the palette. */
async function findInSnapshots(page: Page, text: string): Promise<void> {
	await page.keyboard.press("Control+k");
	await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
	await page.keyboard.type(text);
	await page.getByRole("option", { name: "All objects in snapshots" }).click();
	await page.getByRole("heading", { level: 1, name: `Find ${text}` }).waitFor();
}

describeOnEmptyService("finding objects on an empty service", (service) => {
	const foundTable = () => service.page().getByRole("region", { name: "Objects in snapshots" });

	it("captures bridge domains, subnets, addresses and VLANs of a fabric", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		for (const name of ["fvBD", "fvSubnet", "fvIp", "fvnsEncapBlk"]) {
			await makeQuery(page, `All ${name}`, name);
			await page.getByRole("button", { name: "Run on fab-a" }).click();
			await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
		}
		// The index follows the snapshots a moment later.
		await findInSnapshots(page, "bd-003");
		await expect
			.poll(
				async () => {
					await page.reload();
					await page
						.getByText(/^(No snapshot has such|Matched)/)
						.first()
						.waitFor();
					return foundTable().count();
				},
				{ timeout: 12_000 },
			)
			.toBe(1);
	});

	it.each([...MACS, "bd-003"])("opens the object of %s by Enter in the palette", async (text) => {
		const page = service.page();
		await page.getByRole("link", { name: "Library" }).first().click();
		await page.getByRole("link", { name: "All fvBD" }).first().waitFor();
		await findByKeys(page, text, /BD-.*fvBD · fab-a/);
	});

	it("finds the endpoint of an address first", async () => {
		const page = service.page();
		const { address } = await findEndpoint(page);
		await findInSnapshots(page, address);
		await foundTable().getByRole("row").nth(1).getByText("fvIp", { exact: true }).waitFor();
	});

	it("finds the ranges that contain a VLAN", async () => {
		const page = service.page();
		await findInSnapshots(page, "vlan-1500");
		await foundTable().getByText("fvnsEncapBlk").first().waitFor();
	});

	it("reads an object from the controller on its page", async () => {
		const page = service.page();
		await findByKeys(page, "bd-003", /BD-.*fvBD · fab-a/);
		await page.getByRole("heading", { level: 1, name: "bd-003" }).waitFor();
		await page.getByText(/^No change since \d{4}-\d{2}-\d{2}/).waitFor();
		await page.getByText("No check holds it among its evidence.").waitFor();
		await page.getByRole("button", { name: "Read from the controller" }).click();
		await page.getByText("Read from fab-a").waitFor();
	});

	it("follows a DN in the rows of a run to its object", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Runs", exact: true }).first().click();
		await page.getByRole("link", { name: "All fvBD" }).first().click();
		const grid = page.getByRole("grid");
		await grid.getByText("bd-003").first().waitFor();
		const link = grid.getByRole("link", { name: /BD-/ }).first();
		const dn = (await link.textContent()) ?? "";
		await link.click();
		await page.waitForURL(/\/objects\?/);
		await page.getByText(dn, { exact: true }).first().waitFor();
	});

	it("follows a DN of the audit log to its object", async () => {
		const page = service.page();
		await page.keyboard.press("Control+k");
		await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
		await page.keyboard.type("uni/tn-common");
		await page.getByRole("option", { name: "Ask the fabrics now" }).click();
		await page.getByRole("list", { name: "Answers of the fabrics" }).getByText("Succeeded").waitFor();
		await page.getByRole("link", { name: "Audit", exact: true }).first().click();
		const log = page.getByRole("region", { name: "Audit log" });
		await log
			.getByRole("button", { name: /searched 1 controllers for uni\/tn-common$/ })
			.first()
			.click();
		await page.getByRole("dialog").getByRole("link", { name: "uni/tn-common", exact: true }).first().click();
		await page.waitForURL(/\/objects\?/);
		await page.getByRole("button", { name: "Read from the controller" }).click();
		await page.getByRole("heading", { level: 1, name: "common" }).waitFor();
	});

	it("names a fabric that is down, and shows the other fabric's answer", async () => {
		const page = service.page();
		const second = await startController({ size: "small", seed: 8 });
		await makeConnection(page, "fab-down", { lab: second });
		await second.close();
		await page.keyboard.press("Control+k");
		await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
		await page.keyboard.type("bd-003");
		await page.getByRole("option", { name: "Ask the fabrics now" }).click();
		const answers = page.getByRole("list", { name: "Answers of the fabrics" });
		await answers.getByRole("listitem").filter({ hasText: "fab-a" }).getByText("Succeeded").waitFor();
		await page.getByRole("region", { name: "Objects on the fabrics" }).getByText("bd-003").first().waitFor();
		const down = answers.getByRole("listitem").filter({ hasText: "fab-down" });
		await down.getByText("Failed").waitFor();
		expect(await down.textContent()).toMatch(/fab-down.*Failed.+/);
	});
});

/** The address of an endpoint of the snapshots, as the page Find shows it. */
async function findEndpoint(page: Page): Promise<{ address: string }> {
	await findInSnapshots(page, "10.0.0.0/8");
	const row = page
		.getByRole("region", { name: "Objects in snapshots" })
		.getByRole("row")
		.filter({ hasText: /fvIp/ })
		.first();
	await row.waitFor();
	const [address = ""] = /10(?:\.\d{1,3}){3}/.exec((await row.textContent()) ?? "") ?? [];
	return { address };
}
