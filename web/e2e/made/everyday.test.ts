/** Small things of every day, by clicks on a service that starts empty. */
import { expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import { describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";
import { writeDomain } from "./write-tenant.ts";

const QUERY = "All domains";

describeOnEmptyService("every day on an empty service", (service) => {
	it("refuses a name that turns the text beside it, and keeps what was typed", async () => {
		const page = service.page();
		await page.goto("/settings/categories/queries");
		await page.getByRole("button", { name: "New query category" }).first().click();
		const drawer = page.getByRole("dialog", { name: "New query category" });
		await typeInto(drawer.getByLabel("Description"), "For audits");
		await typeInto(drawer.getByLabel("Name"), "fab\u202eric");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.getByText("Must not contain characters that turn the direction of the text").waitFor();
		expect(await drawer.getByLabel("Description").inputValue()).toBe("For audits");
		await page.keyboard.press("Escape");
	});

	it("makes a drift rule of an attribute in a comparison, and counts objects before and after", async () => {
		const page = service.page();
		const { lab } = service.world();
		await makeConnection(page, "fab-a", service.world());
		await writeDomain(lab, "one");
		await makeQuery(page, QUERY, "fvBD");
		const run = page.getByRole("button", { name: "Run on fab-a" });
		const results = page.getByRole("region", { name: "Results" });
		await run.click();
		await results.getByText("Succeeded").waitFor();
		await writeDomain(lab, "two");
		await page.reload();
		await run.click();
		// The rows of the run before are shown until this one ends.
		await typeInto(page.getByRole("searchbox", { name: "Filter rows" }), "descr:two");
		await results.getByText("uni/tn-Twin/BD-web").waitFor();

		await page.goto("/time-machine");
		await page.getByRole("link", { name: QUERY }).click();
		await page
			.getByRole("link", { name: /^Compare/ })
			.first()
			.click();
		const differences = page.getByRole("region", { name: "Differences" });
		await differences.getByText("descr", { exact: true }).first().hover();
		await page.getByText(/objects before, \d+ after/).waitFor();
		await differences.getByRole("button", { name: "Never alert on fvBD.descr" }).first().click();
		await page.getByText("Changes of fvBD.descr are no drift of this query").waitFor();
		await page.getByRole("button", { name: "Hide ignored changes" }).click();
		await page.getByRole("button", { name: "Hide ignored changes (1)" }).waitFor();
	});

	it("names the fabric of the tracked object where a query ran on two", async () => {
		const page = service.page();
		await makeConnection(page, "fab-b", service.world());
		await page.goto("/library");
		await page.getByRole("link", { name: QUERY }).first().click();
		await page.getByRole("button", { name: "Choose the fabric" }).click();
		await page.getByRole("menuitemradio", { name: "fab-b" }).click();
		await page.getByRole("button", { name: "Run on fab-b" }).click();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();

		await page.goto("/time-machine");
		await page.getByRole("link", { name: QUERY }).click();
		const heading = page.getByRole("heading", { name: "Track one object" });
		const tracked = page.locator("section").filter({ has: heading });
		const fabric = tracked.getByLabel("Fabric of the object");
		await expect
			.poll(() => fabric.evaluate((field: HTMLSelectElement) => field.selectedOptions[0]?.text))
			.toBe("fab-b");
		await typeInto(tracked.getByRole("combobox", { name: "Distinguished name" }), "BD-web");
		await page
			.getByRole("option", { name: /BD-web/ })
			.first()
			.click();
		await fabric.selectOption({ label: "fab-a" });
		await tracked.getByText("two").first().waitFor();
	});

	it("shows each fabric's snapshots of twelve months, and of 30 days by the hour, on one scale", async () => {
		const page = service.page();
		for (const fabric of ["fab-a", "fab-b"]) {
			const lane = page.getByRole("grid", { name: `Snapshots in the last 12 months of ${fabric}` });
			expect(await lane.getByRole("gridcell", { name: /: [1-9]\d* snapshots?/ }).count()).toBe(1);
		}
		await page.getByText("Most changes of a day: 1").waitFor();
		await page.getByLabel("Period").selectOption({ label: "Last 30 days by hour" });
		const hours = page.getByRole("grid", { name: "Snapshots in the last 30 days of fab-a" });
		await hours
			.getByRole("gridcell", { name: /^\d{4}-\d\d-\d\d \d\d:00: [12] snapshots?/ })
			.first()
			.click();
		await page.getByRole("heading", { name: /^Snapshots on/ }).waitFor();
		expect(await findViolations(page)).toEqual([]);
	});

	it("takes the notice of a mistake away when the canvas is changed", async () => {
		const page = service.page();
		await page.goto("/builder");
		for (const node of ["fvBD", "Filter"]) {
			await page.getByRole("button", { name: "Add node" }).first().click();
			await page.keyboard.type(node);
			await page.keyboard.press("Enter");
		}
		await typeInto(page.getByLabel("Property", { exact: true }), "name!");
		await page.getByRole("button", { name: "Run on fab-b" }).click();
		const notice = page.getByText("Can't run this query.");
		await notice.waitFor();
		await typeInto(page.getByLabel("Property", { exact: true }), "name");
		await notice.waitFor({ state: "detached" });
	});
});
