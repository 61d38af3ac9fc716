/** The overview: what changed since yesterday, and no more than six calls. */
import { savedQueryRoutes, timeMachineRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";

describeInBrowser("overview", (web) => {
	it("shows what changed since yesterday, and leads to the changes of the fabric", async () => {
		const { client, refresh } = await web.user("overview.changes", ["Editor"]);
		const name = "Seen on the overview";
		deleteAfterTest(client, savedQueryRoutes, name);
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvBD" } }], edges: [] };
		const { id } = await client.call(savedQueryRoutes.create, { body: { name, flow_data, enable_time_machine: true } });
		for (const mtu of ["1500", "9000"])
			await client.call(timeMachineRoutes.capture, {
				body: {
					saved_query_id: id,
					controller_connection_id: web.connectionId,
					result_data: [{ fvBD: { attributes: { dn: "uni/tn-seen/BD-overview", mtu } } }],
				},
			});
		const page = await web.open("/favicon.svg", { as: refresh });
		const calls: string[] = [];
		page.on("request", (request) => {
			const { pathname } = new URL(request.url());
			if (pathname.startsWith("/api/")) calls.push(pathname);
		});
		const region = page.getByRole("region", { name: "Since yesterday" });
		await expect
			.poll(async () => {
				calls.length = 0;
				await page.goto("/");
				await region
					.getByRole("list")
					.or(region.getByText(/No snapshot/))
					.first()
					.waitFor();
				return region.getByRole("list", { name: "Most important changes" }).count();
			})
			.toBe(1);
		await page.waitForLoadState("networkidle");
		expect(calls.length).toBeLessThanOrEqual(6);
		await region.getByText("1 changed").waitFor();
		await region.getByRole("list", { name: "Changes by fabric" }).getByRole("link").click();
		await page.getByRole("heading", { level: 1, name: "Changes" }).waitFor();
		await page.getByText("mtu 1500 → 9000").waitFor();
	});
});
