/** The overview: present problems, changes, and no more than six calls. */
import { connectionRoutes, savedQueryRoutes, timeMachineRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";
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
		const chart = page.getByRole("figure", { name: "Changes per day, 14 days: one line per fabric" });
		await chart.locator("canvas").waitFor();
		await page.waitForLoadState("networkidle");
		expect(calls.length, calls.join()).toBeLessThanOrEqual(6);
		// The values of the day at the pointer stand in the legend, beside the name of the fabric.
		await chart.locator(".u-over").hover();
		await chart.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d$/).waitFor();
		await region.getByText("1 changed").waitFor();
		await region.getByText("by nobody known").waitFor();
		await region.getByRole("list", { name: "Changes by fabric" }).getByRole("link").click();
		await page.getByRole("heading", { level: 1, name: "Changes" }).waitFor();
		await page.getByText("mtu 1500 → 9000").waitFor();
	});

	it("shows faults of each fabric by severity with their trend, and names a connection that is down", async () => {
		const { client, refresh } = await web.user("overview.faults", ["Editor"]);
		const name = "All faults of a fabric";
		deleteAfterTest(client, savedQueryRoutes, name);
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "faultInst" } }], edges: [] };
		const { id } = await client.call(savedQueryRoutes.create, { body: { name, flow_data, enable_time_machine: true } });
		const createFault = (code: string, severity: string) => ({
			faultInst: { attributes: { dn: `topology/pod-1/node-101/fault-${code}`, code, severity } },
		});
		await client.call(timeMachineRoutes.capture, {
			body: {
				saved_query_id: id,
				controller_connection_id: web.connectionId,
				result_data: [createFault("F1", "critical"), createFault("F2", "minor"), createFault("F3", "minor")],
			},
		});
		deleteAfterTest(client, connectionRoutes, "fab-stopped");
		const { id: stopped } = await client.call(connectionRoutes.create, {
			body: { name: "fab-stopped", url: "http://127.0.0.1:9", username: "admin", password: "never used" },
		});
		await expect(client.call(connectionRoutes.test, { params: { id: stopped } })).rejects.toThrow("refused");
		for (const theme of ["light", "dark"] as const)
			for (const width of [1440, 390]) {
				const page = await web.open("/", { as: refresh, theme, width });
				const strip = page.getByRole("region", { name: "Is anything wrong right now?" });
				await strip.getByText("fab-stopped").first().waitFor();
				await strip.getByText(/is down since \d{4}-\d\d-\d\d/).waitFor();
				await strip.getByText("1 critical").waitFor();
				await strip.getByText("2 minor").waitFor();
				await strip.getByText(/No snapshot has faults of .*fab-stopped/).waitFor();
				await page.waitForLoadState("networkidle");
				expect(await findViolations(page)).toEqual([]);
				const isWider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
				expect(isWider).toBe(false);
			}
	});

	it("leads to a question of the gallery in two actions, also from the palette", async () => {
		const { refresh } = await web.user("overview.questions", ["Editor"]);
		const page = await web.open("/", { as: refresh });
		await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Gallery" }).click();
		const question = "How many faults are there of each severity and domain?";
		await page.getByRole("button", { name: question, exact: true }).click();
		await page.getByRole("heading", { level: 1, name: question }).waitFor();
		await page.keyboard.press("Control+k");
		const palette = page.getByRole("dialog", { name: "Search or run a command" });
		await palette.waitFor();
		await page.keyboard.type("gallery");
		await palette.getByRole("option", { name: "All questions of the gallery" }).waitFor();
		await palette.getByRole("combobox").fill("question alarm severity");
		const option = palette.getByRole("option", { name: question });
		await option.waitFor();
		await option.click();
		await page.getByRole("heading", { level: 1, name: question }).waitFor();
		// A word of classes, too: Enter opens the question.
		await page.keyboard.press("Control+k");
		await palette.getByRole("combobox").fill("bd without subnet");
		await expect.poll(() => palette.getByRole("option", { selected: true }).textContent()).toMatch(/no subnet/);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: /no subnet/ }).waitFor();
	});
});
