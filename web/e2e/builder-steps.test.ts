/** Post-processors in the builder: editors of their lists, and what the plan says of them. */
import { savedQueryRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";

const createPosition = (x: number, y: number) => ({ position: { x, y } });

describeInBrowser("post-processors", (web) => {
	async function openWith(name: string, post_processors: object[]): Promise<Page> {
		const { id } = await web.client().call(savedQueryRoutes.create, {
			body: {
				name,
				flow_data: {
					nodes: [
						{ id: "tenants", type: "classNode", ...createPosition(0, 40), data: { className: "fvTenant" } },
						{ id: "domains", type: "classNode", ...createPosition(230, 0), data: { className: "fvBD" } },
						{ id: "profiles", type: "classNode", ...createPosition(230, 120), data: { className: "fvAp" } },
						{ id: "out", type: "outputNode", ...createPosition(460, 0), data: {} },
					],
					edges: [
						{ id: "e1", source: "tenants", target: "domains" },
						{ id: "e2", source: "tenants", target: "profiles" },
						{ id: "e3", source: "domains", target: "out" },
					],
				},
				post_processors,
			},
		});
		const page = await web.open(`/builder/${id}`);
		await page.getByRole("heading", { level: 1, name }).waitFor();
		return page;
	}
	async function saveAndReadSteps(page: Page): Promise<unknown[]> {
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByText("unsaved changes").waitFor({ state: "detached" });
		const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
		const { post_processors } = await web.client().call(savedQueryRoutes.detail, { params: { id } });
		return post_processors.map((step) => (step as { config: unknown }).config);
	}

	it("are edited in rows: aggregations, mappings, text steps, conditions, sort fields", async () => {
		const page = await openWith("Edited in rows", [
			{ type: "filter_rows", config: { field: "name", operator: "ne", value: "common" } },
			{ type: "map-transform", config: { field: "arpFlood", mapping: { yes: "on" } } },
			{ type: "text-operations", config: { field: "name", operations: [{ operation: "trim" }] } },
			{ type: "array-sort", config: { field: "name", order: "desc" } },
			{ type: "aggregate", config: { groupBy: ["class"] } },
		]);
		const step = (type: string) => page.locator("details").filter({ hasText: type });
		for (const type of ["Keep rows", "Replace values", "Change text", "Sort rows", "Group and count"])
			await step(type).locator("summary").click();

		const first = page.getByRole("group", { name: "condition 1" });
		expect(await first.getByLabel("Value", { exact: true }).inputValue()).toBe("common");
		await first.getByLabel("Operator").selectOption("in");
		await first.getByLabel("Value", { exact: true }).fill("a,b");
		await page.getByRole("button", { name: "Add a condition" }).click();
		const second = page.getByRole("group", { name: "condition 2" });
		await second.getByLabel("Field", { exact: true }).fill("descr");
		await second.getByLabel("Operator").selectOption("missing");

		await page.getByRole("button", { name: "Add a value" }).click();
		const value = page.getByRole("group", { name: "value 2" });
		await value.getByLabel("Value", { exact: true }).fill("no");
		await value.getByLabel("Replacement").fill("off");

		await page.getByRole("button", { name: "Add a step" }).click();
		await page.getByRole("group", { name: "step 2" }).getByLabel("Step", { exact: true }).selectOption("split");
		await page.getByRole("group", { name: "step 2" }).getByLabel("Piece, from 0").fill("1");
		await page.getByRole("button", { name: "Move step 2 up" }).click();

		await page.getByRole("button", { name: "Add a field" }).click();

		await page.getByRole("button", { name: "Add an aggregation" }).click();
		const counted = page.getByRole("group", { name: "aggregation 1" });
		await counted.getByLabel("Function").selectOption("distinct");
		await counted.getByLabel("Field", { exact: true }).fill("name");

		expect(await saveAndReadSteps(page)).toEqual([
			{
				conditions: [
					{ field: "name", operator: "in", value: ["a", "b"] },
					{ field: "descr", operator: "missing" },
				],
			},
			{ field: "arpFlood", mapping: { yes: "on", no: "off" } },
			{ field: "name", operations: [{ operation: "split", separator: "-", index: 1 }, { operation: "trim" }] },
			{
				keys: [
					{ field: "name", order: "desc" },
					{ field: "name", order: "asc" },
				],
			},
			{ groupBy: ["class"], aggregations: [{ function: "distinct", field: "name" }] },
		]);
	});

	it("take a mapping from a spreadsheet", async () => {
		const page = await openWith("Pasted values", [{ type: "map-transform", config: { field: "name", mapping: {} } }]);
		await page.locator("details summary").click();
		await page.getByRole("button", { name: "Add a value" }).click();
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.evaluate(() => navigator.clipboard.writeText("a\t1\nb\t2\n"));
		await page.getByRole("group", { name: "value 1" }).getByLabel("Value", { exact: true }).click();
		await page.keyboard.press("Control+v");
		await page.getByRole("group", { name: "value 2" }).waitFor();
		expect(await saveAndReadSteps(page)).toEqual([{ field: "name", mapping: { a: "1", b: "2" } }]);
		// The keys that copy and paste nodes leave the text of a field to the field.
		await page.getByRole("group", { name: "value 2" }).getByLabel("Value", { exact: true }).click();
		await page.keyboard.press("Control+a");
		await page.keyboard.press("Control+c");
		await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("b");
	});

	it("that use a field that no row has are warned of, and the output says whose rows it gives", async () => {
		const page = await openWith("Warned of", [{ type: "aggregate", config: { groupBy: ["tenant"] } }]);
		await page.getByText("aggregate uses the field tenant, which no row has.").waitFor();
		await page.locator(".react-flow__node").filter({ hasText: "output" }).click();
		const hint = page.getByRole("complementary", { name: "Inspector" }).getByText(/^Rows of/);
		await expect
			.poll(() => hint.textContent())
			.toBe("Rows of fvBD, and of fvAp, which is not connected here but has no class below.");
	});

	it("leave the canvas room: all of it is in sight, also beside the results", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		const nodes = page.locator(".react-flow__node");
		await expect.poll(() => nodes.count()).toBe(5);
		const outside = () =>
			page.evaluate(() => {
				const box = document.querySelector(".react-flow")?.getBoundingClientRect() ?? new DOMRect();
				return [...document.querySelectorAll(".react-flow__node")].filter((node) => {
					const { left, right, top, bottom } = node.getBoundingClientRect();
					return left < box.left || right > box.right || top < box.top || bottom > box.bottom;
				}).length;
			});
		await expect.poll(outside).toBe(0);
		await page.getByRole("button", { name: /^Run on/ }).click();
		const results = page.getByRole("region", { name: "Results" });
		await results.getByText("Succeeded").waitFor();
		await expect.poll(outside).toBe(0);
		const height = async () => (await results.boundingBox())?.height ?? 0;
		const usual = await height();
		expect(usual).toBeLessThan(0.4 * 900);
		const divider = page.getByRole("separator", { name: "Height of the results" });
		await divider.focus();
		await page.keyboard.press("ArrowUp");
		await expect.poll(height).toBeGreaterThan(usual);
	});
});
