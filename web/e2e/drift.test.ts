/** Drift of a query: in the list of its snapshots, in a comparison, and the rules that decide. */
import { savedQueryRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { inBrowser } from "./browser.ts";

inBrowser("drift", (web) => {
	it("is in the list of snapshots with its counts and its severity", async () => {
		const page = await web.open(`/time-machine/${web.queryId}`);
		await page
			.getByText(/\d+ added, \d+ deleted, \d+ modified, \d+ ignored: warning/)
			.first()
			.waitFor();
		await page.getByText("none", { exact: true }).waitFor();
	});

	it("has rules that are saved with the query, and a wrong one is named by its line", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Name and settings" }).click();
		const dialog = page.getByRole("dialog", { name: "Save the query" });
		await dialog.getByText("What counts as drift").click();
		await dialog.getByLabel("Ignored classes").fill("fvSubnet");
		await dialog.getByLabel("Severity").fill("fvBD = critical");
		await dialog.getByLabel("Ignored DNs").fill("^uni/tn-none\n(unclosed");
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		await dialog.getByText(/Line 2: Not a valid regular expression/).waitFor();
		await dialog.getByLabel("Ignored DNs").fill("^uni/tn-none");
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		await dialog.waitFor({ state: "detached" });
		const { drift_rules, version_string } = await web.client().call(savedQueryRoutes.detail, {
			params: { id: web.queryId },
		});
		expect(drift_rules).toEqual({
			ignore: [],
			ignore_volatile: true,
			ignore_classes: ["fvSubnet"],
			ignore_dns: ["^uni/tn-none"],
			severity: { fvBD: "critical" },
			treat_as_set: [],
		});
		expect(version_string).toBe("v1.0");
	});

	it("limits a comparison to what the rules leave, and the address says so", async () => {
		const [from, , to] = web.snapshotIds;
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${web.queryId}`);
		await page.getByRole("button", { name: "Drift only" }).click();
		await page.waitForURL(/rules=query/);
		await page.getByRole("button", { name: /^Drift only, \d+ ignored$/, pressed: true }).waitFor();
		expect(await page.getByText(/^fvSubnet/).count()).toBe(0);
	});
});
