/** The class model: tree, search, keys, favorites, and starting a query. */
import { mimPersonalRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { ignoreMissing } from "./clean-up.ts";

/** What the tree says it is at. */
const readActiveItem = (page: Page): Promise<string> =>
	page.evaluate(() => {
		const id = document.querySelector("[role=tree]")?.getAttribute("aria-activedescendant");
		return document.getElementById(id ?? "")?.querySelector(".mono")?.textContent ?? "";
	});

describeInBrowser("the class model", (web) => {
	it("is walked through in its tree with keys alone", async () => {
		const page = await web.open("/model");
		const tree = page.getByRole("tree", { name: "Containment tree" });
		await tree.getByRole("treeitem").first().waitFor();
		await tree.focus();
		const level = (depth: number) => tree.locator(`[role=treeitem][aria-level="${depth}"]`);
		const top = await level(1).count();
		for (let at = 0; at < top; at++) {
			if ((await readActiveItem(page)) === "polUni") break;
			await page.keyboard.press("ArrowDown");
		}
		expect(await readActiveItem(page)).toBe("polUni");
		await page.keyboard.press("ArrowRight");
		await level(2).first().waitFor();
		await page.keyboard.press("ArrowRight");
		const child = await readActiveItem(page);
		await page.keyboard.press("ArrowLeft");
		expect(await readActiveItem(page)).toBe("polUni");
		await page.keyboard.press("ArrowRight");
		expect(await readActiveItem(page)).toBe(child);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: child }).waitFor();
		// Expanded nodes stay expanded.
		await level(2).first().waitFor();
	});

	it("is searched, and tells of a class what it has, contains, and refers to", async () => {
		const page = await web.open("/model");
		await page.getByRole("treeitem").first().waitFor();
		await page.keyboard.press("/");
		await page.keyboard.type("fvBD");
		const found = page.getByRole("list", { name: "Found" });
		await found
			.getByRole("link", { name: /^fvBD(?!\w)/ })
			.first()
			.click();
		await page.getByRole("heading", { level: 1, name: "fvBD" }).waitFor();
		await page.getByRole("region", { name: "Properties of fvBD" }).getByText("naming").first().waitFor();
		await page.getByLabel("Filter properties").fill("unicastRoute");
		await page.getByText("1 property", { exact: true }).waitFor();
		const views = page.getByRole("navigation", { name: "About the class" });
		await views.getByRole("link", { name: "Contains" }).click();
		await page.getByRole("link", { name: "fvSubnet", exact: true }).waitFor();
		await views.getByRole("link", { name: "Contained by" }).click();
		await page.getByRole("link", { name: "fvTenant", exact: true }).waitFor();
		await views.getByRole("link", { name: "Relations" }).click();
		await page.getByRole("link", { name: "fvCtx", exact: true }).first().waitFor();
		await views.getByRole("link", { name: "Ancestors" }).click();
		const way = page.getByRole("list", { name: "Path to fvBD" });
		await way.getByRole("link", { name: "fvTenant" }).click();
		await page.getByRole("heading", { level: 1, name: "fvTenant" }).waitFor();
		await page.goBack();
		await way.waitFor();
		await page.getByRole("navigation", { name: "Kinds of results" }).getByRole("link", { name: "Packages" }).click();
		await page.getByText("No name, label or description in the model matches").waitFor();
	});

	it("is reached from anywhere by the name of a class", async () => {
		const page = await web.open("/");
		await page.getByRole("heading", { name: "Overview" }).waitFor();
		await page.keyboard.press("Control+k");
		await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
		await page.keyboard.type("#bridge domain");
		await page.getByRole("option", { name: /^fvBD(?!\w)/ }).waitFor();
		expect(await page.getByRole("option", { name: "Overview" }).count()).toBe(0);
		await page.getByRole("option", { name: /^fvBD(?!\w)/ }).click();
		await page.getByRole("heading", { level: 1, name: "fvBD" }).waitFor();
	});

	it("shows where a class stands in the tree", async () => {
		const page = await web.open("/model/fvSubnet?q=subnet");
		await page.getByRole("button", { name: "Show in the tree" }).click();
		const tree = page.getByRole("tree", { name: "Containment tree" });
		const row = tree.getByRole("treeitem", { name: /^fvSubnet/ });
		await row.first().waitFor();
		await expect.poll(async () => (await tree.getAttribute("aria-activedescendant")) ?? "").toMatch(/\/fvSubnet$/);
		expect(new URL(page.url()).searchParams.get("q")).toBeNull();
	});

	it("counts the objects of a class on the controller when asked", async () => {
		const page = await web.open("/model/fvBD");
		await page.getByRole("button", { name: /^Count on / }).click();
		await page
			.getByRole("status")
			.getByText(/^\d+ objects on /)
			.waitFor();
	});

	it("keeps favorites, and begins a query with a class", async () => {
		const params = { id: "fvBD" };
		onTestFinished(() => ignoreMissing(web.client().call(mimPersonalRoutes.removeFavorite, { params })));
		const page = await web.open("/model/fvBD");
		await page.getByRole("button", { name: "Favorite", exact: true }).click();
		await page.getByRole("navigation", { name: "Favorite classes" }).getByRole("link", { name: "fvBD" }).waitFor();
		await page.reload();
		await page.getByRole("button", { name: "A favorite" }).click();
		await page.getByRole("navigation", { name: "Favorite classes" }).waitFor({ state: "detached" });
		await page.getByRole("link", { name: "New query" }).click();
		await page.getByText("GET /api/class/fvBD.json").waitFor();
	});

	it("draws what is around a class, walked through by keys, and lists the same", async () => {
		const page = await web.open("/model/fvBD");
		await page.getByRole("navigation", { name: "About the class" }).getByRole("link", { name: "Graph" }).click();
		const graph = page.getByRole("region", { name: "Graph of fvBD" });
		await graph.getByRole("list", { name: "Contains" }).getByRole("link", { name: "fvSubnet" }).waitFor();
		const refers = graph.getByRole("list", { name: "Refers to" }).getByRole("link", { name: /^fvCtx.*by fvRsCtx/ });
		await refers.waitFor();
		const named = (list: ReturnType<Page["getByRole"]>) => list.getByRole("listitem").count();
		const drawn = await named(graph.getByRole("list", { name: "Contained by" }));
		await page.getByRole("button", { name: "As a list" }).click();
		await page.waitForURL(/as=list/);
		const listed = page.getByRole("region", { name: "fvBD: Contained by" });
		expect(await named(listed)).toBe(drawn);
		await page.getByRole("button", { name: "As a graph" }).click();
		await refers.focus();
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "fvCtx" }).waitFor();
		await page.getByRole("region", { name: "Graph of fvCtx" }).getByRole("link", { name: /^fvBD/ }).first().waitFor();
		// Narrow screens show the list instead of the graph.
		await page.setViewportSize({ width: 390, height: 780 });
		await page.getByRole("region", { name: "fvCtx: Contained by" }).waitFor();
		await page.getByRole("region", { name: "Graph of fvCtx" }).waitFor({ state: "hidden" });
	});

	it("says so where a class is not in it", async () => {
		const page = await web.open("/model/fvNothing");
		await page.getByText("The loaded model has no fvNothing.").waitFor();
	});
});
