/** The overview: activity for administrators and other users, without forbidden requests. */
import { auditRoutes, pipelineRoutes, queryCategoryRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";

describeInBrowser("overview", (web) => {
	it("tells administrators what everybody did", async () => {
		deleteAfterTest(web.client(), queryCategoryRoutes, "Told on the overview");
		await web.client().call(queryCategoryRoutes.create, { body: { name: "Told on the overview" } });
		const written = async () =>
			(await web.client().call(auditRoutes.list, { query: {} })).results.map(({ description }) => description);
		await expect.poll(written).toContainEqual(expect.stringContaining("Told on the overview"));
		const page = await web.open("/");
		// Background work may have been notified meanwhile.
		const entries = page.getByRole("list", { name: "Activity" }).getByRole("listitem");
		const entry = entries.filter({ hasText: "Created the query category Told on the overview" }).first();
		await entry.getByText("ada.lovelace, category management").waitFor();
	});

	it("tells everybody else of their own, and asks nothing of the audit log", async () => {
		const { client, refresh } = await web.user("overview.own");
		const page = await web.open("/favicon.svg", { as: refresh });
		const calls: string[] = [];
		page.on("request", (request) => {
			const { pathname } = new URL(request.url());
			if (pathname.startsWith("/api/")) calls.push(pathname);
		});
		await page.goto("/");
		await page.getByText("Runs, snapshots, schedules and requests appear here").waitFor();
		await page.waitForLoadState("networkidle");
		expect(calls.filter((path) => path.startsWith("/api/audit/"))).toEqual([]);
		expect(calls.length).toBeLessThanOrEqual(6);
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
		const job = await client.call(pipelineRoutes.create, {
			body: { flow_data, controller_connection_id: web.connectionId },
		});
		await page.reload();
		const own = page.getByRole("list", { name: "Activity" }).getByRole("listitem");
		await own.getByRole("link", { name: "Unsaved query" }).click();
		await page.waitForURL(new RegExp(job.id));
	});
});
