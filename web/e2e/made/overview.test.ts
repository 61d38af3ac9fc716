/**
 * The overview from an empty service to one with problems: two fabrics, a query of faults with
 * snapshots, changes, and a fabric that is stopped. All by clicks and keys.
 */
import { startController } from "@weft/lab";
import { expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import { describeOnEmptyService, makeConnection, makeQuery } from "./empty-service.ts";

describeOnEmptyService("the overview of an empty service", (service) => {
	const getStrip = () => service.page().getByRole("region", { name: "Is anything wrong right now?" });
	const goToOverview = () =>
		service.page().getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Overview" }).click();
	/** Runs the query of the builder, which is open, on the default fabric. */
	async function runQuery(fabric: string, end: string): Promise<void> {
		const page = service.page();
		await page.getByRole("button", { name: `Run on ${fabric}` }).click();
		await page.getByRole("region", { name: "Results" }).getByText(end).first().waitFor();
	}

	it("says what is missing, and claims nothing", async () => {
		const page = service.page();
		const strip = getStrip();
		await strip.getByText("There is no check yet, so nothing is watched.").waitFor();
		await strip.getByText("No snapshot has faults of a fabric.").waitFor();
		await strip.getByText("No fabric is connected.").waitFor();
		expect(await page.getByText(/No problems/).count()).toBe(0);
		await strip.getByRole("link", { name: "Ask for faults by severity" }).click();
		await page.getByRole("heading", { level: 1, name: /How many faults/ }).waitFor();
	});

	it("counts faults of the snapshots of a query, names fabrics without any, and draws changes", async () => {
		const page = service.page();
		const { lab } = service.world();
		const second = await startController({ size: "small", seed: 8 });
		await makeConnection(page, "fab-b", { lab: second });
		await makeConnection(page, "fab-a", { lab });
		await page.getByRole("button", { name: "Choose the default fabric" }).click();
		await page
			.getByRole("menuitemradio", { name: /fab-a/ })
			.or(page.getByRole("menuitem", { name: /fab-a/ }))
			.click();
		await makeQuery(page, "All faults", "faultInst");
		await runQuery("fab-a", "Succeeded");
		await goToOverview();
		const strip = getStrip();
		const faults = strip.getByRole("region", { name: "Faults" });
		await faults.getByText("fab-a", { exact: true }).waitFor();
		await faults
			.getByText(/^\d+ (critical|major|minor|warning)/)
			.first()
			.waitFor();
		await faults.getByText("No snapshot has faults of fab-b.").waitFor();
		await strip.getByText("2 fabrics answered at the last run or test").waitFor();

		const fault = { dn: "topology/pod-1/node-101/sys/fault-F9999", code: "F9999", severity: "critical" };
		lab.load({ imdata: [{ faultInst: { attributes: fault } }] });
		await page.getByRole("link", { name: "Library", exact: true }).first().click();
		await page.getByRole("link", { name: "All faults" }).first().click();
		await page.getByRole("heading", { level: 1, name: "All faults" }).waitFor();
		await runQuery("fab-a", "Succeeded");
		const yesterday = page.getByRole("region", { name: "Since yesterday" });
		// The feed follows the snapshot a moment later.
		await expect
			.poll(async () => {
				await page.goto("/");
				await page.waitForLoadState("networkidle");
				return yesterday.getByRole("link", { name: "fab-a" }).count();
			})
			.toBe(1);
		await page
			.getByRole("figure", { name: /^Changes per day/ })
			.locator("canvas")
			.waitFor();

		await second.close();
		await page.getByRole("button", { name: "Choose the default fabric" }).click();
		await page
			.getByRole("menuitemradio", { name: /fab-b/ })
			.or(page.getByRole("menuitem", { name: /fab-b/ }))
			.click();
		await page.getByRole("link", { name: "Library", exact: true }).first().click();
		await page.getByRole("link", { name: "All faults" }).first().click();
		await runQuery("fab-b", "Failed");
		await goToOverview();
		const connections = strip.getByRole("region", { name: "Connections" });
		await connections.getByText(/fab-b is down since \d{4}-\d\d-\d\d/).waitFor();
		await connections.getByText(/refused the connection/).waitFor();
		await connections.getByText("1 fabric answered at the last run or test").waitFor();
		expect(await findViolations(page)).toEqual([]);
	});
});
