/** The join in the builder: from the step that is added to the columns of the result. */
import { savedQueryRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";

const createClass = (id: string, className: string, x: number, y: number) => ({
	id,
	type: "classNode",
	position: { x, y },
	data: { className },
});

describeInBrowser("a join", (web) => {
	it("is added and filled in as a form, and its result has one row per object with the joined columns", async () => {
		const name = "Domains with VRF and subnets";
		const { id } = await web.client().call(savedQueryRoutes.create, {
			body: {
				name,
				flow_data: {
					nodes: [
						createClass("domains", "fvBD", 0, 60),
						createClass("relations", "fvRsCtx", 230, 0),
						createClass("subnets", "fvSubnet", 230, 120),
					],
					edges: [
						{ id: "e1", source: "domains", target: "relations" },
						{ id: "e2", source: "domains", target: "subnets" },
					],
				},
			},
		});
		const page = await web.open(`/builder/${id}`);
		await page.getByRole("heading", { level: 1, name }).waitFor();
		await page.getByLabel("Add a step").selectOption({ label: "Join into one row" });
		await page.getByLabel("One row for each").selectOption("fvBD");

		await page.getByRole("button", { name: "Join a class" }).click();
		const first = page.getByRole("group", { name: "joined class 1" });
		expect(await first.getByLabel("With", { exact: true }).inputValue()).toBe("fvRsCtx");
		await first.getByLabel("Objects").selectOption({ label: "below it" });
		await first.getByRole("button", { name: "Add a field" }).click();
		await first.getByLabel("Field", { exact: true }).fill("tnFvCtxName");
		await first.getByLabel("Name in the row").fill("vrf");
		await first.getByLabel("If there are several").selectOption({ label: "one row with the first of them" });

		await page.getByRole("button", { name: "Join a class" }).click();
		const second = page.getByRole("group", { name: "joined class 2" });
		expect(await second.getByLabel("With", { exact: true }).inputValue()).toBe("fvSubnet");
		await second.getByRole("button", { name: "Add a field" }).click();
		await second.getByLabel("Field", { exact: true }).fill("ip");
		await second.getByLabel("Name in the row").fill("subnets");

		await page.getByRole("button", { name: /^Run on/ }).click();
		const results = page.getByRole("region", { name: "Results" });
		await results.getByText("Succeeded").waitFor();
		for (const column of ["vrf", "subnets"]) {
			await results.getByRole("columnheader", { name: column }).first().waitFor();
		}

		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByText("unsaved changes").waitFor({ state: "detached" });
		const { post_processors } = await web.client().call(savedQueryRoutes.detail, { params: { id } });
		expect(post_processors).toEqual([
			{
				type: "join",
				config: {
					base: "fvBD",
					attach: [
						{
							class: "fvRsCtx",
							by: "child",
							fields: [{ field: "tnFvCtxName", as: "vrf" }],
							many: "first",
						},
						{ class: "fvSubnet", by: "child", fields: [{ field: "ip", as: "subnets" }], many: "list" },
					],
				},
			},
		]);
	});
});
