/**
 * Joined rows, and two fabrics compared without their ids. Each is made in the browser on an empty
 * service, and read again after a reload.
 */
import { startController } from "@weft/lab";
import { expect, it } from "vitest";
import { describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";

describeOnEmptyService("joins on an empty service", (service) => {
	it("a query gets one row per bridge domain with its subnets, and keeps the join", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "Domains with subnets", "fvBD");
		await page.getByRole("button", { name: "Add node" }).first().click();
		await page.keyboard.type("fvSubnet");
		await page.keyboard.press("Enter");
		// A click on the empty canvas shows the settings of the whole query.
		await page.locator(".react-flow__pane").click({ position: { x: 40, y: 400 } });
		await page.getByLabel("Add a step").selectOption({ label: "Join into one row" });
		await page.getByLabel("One row for each").selectOption("fvBD");
		await page.getByRole("button", { name: "Join a class" }).click();
		const joined = page.getByRole("group", { name: "joined class 1" });
		await joined.getByRole("button", { name: "Add a field" }).click();
		await typeInto(joined.getByLabel("Field", { exact: true }), "ip");
		await typeInto(joined.getByLabel("Name in the row"), "subnets");
		await page.getByRole("button", { name: "Run on fab-a" }).click();
		const results = page.getByRole("region", { name: "Results" });
		await results.getByRole("columnheader", { name: "subnets" }).first().waitFor();
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByText("unsaved changes").waitFor({ state: "detached" });
		await page.reload();
		await page.getByText("Join into one row", { exact: true }).first().waitFor();
	});

	it("two fabrics are compared without the ids that each hands out by itself", async () => {
		const page = service.page();
		const other = await startController({ size: "small", seed: 7, fabric: 2 });
		try {
			await makeConnection(page, "fab-b", { lab: other });
			await makeQuery(page, "All VRFs", "fvCtx");
			for (const fabric of ["fab-a", "fab-b"]) {
				await page.getByRole("button", { name: "Choose the fabric" }).click();
				await page.getByRole("menuitemradio", { name: fabric }).click();
				await page.getByRole("button", { name: `Run on ${fabric}` }).click();
				await page.getByRole("gridcell").first().waitFor();
				await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
			}
			await page.goto("/time-machine");
			await page.getByRole("link", { name: "All VRFs" }).click();
			const radios = (end: string) => page.getByRole("radio", { name: new RegExp(`^Compare ${end} `) });
			await expect.poll(() => radios("from").count()).toBe(2);
			await radios("from").nth(1).click();
			await radios("to").nth(0).click();
			await page.getByRole("link", { name: "Compare fab-a with fab-b" }).click();
			await page.getByText("without ids of one fabric").waitFor();
			expect(await page.getByText("uid", { exact: true }).count()).toBe(0);
			await page.getByRole("button", { name: "Compare ids" }).click();
			await page.waitForURL(/identity=1/);
			await page.getByText("uid", { exact: true }).first().waitFor();
		} finally {
			await other.close();
		}
	});
});
