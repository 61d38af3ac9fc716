/** The builder: what it offers, what it marks, and what it shows at the end of a run. */
import { savedQueryRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";

const getNode = (page: Page, name: string) => page.locator(".react-flow__node").filter({ hasText: name });
const RESULTS = { name: "Results" };

async function openAdd(page: Page, text: string): Promise<void> {
	await page.keyboard.press("a");
	await page.getByRole("dialog", { name: /^Add a node/ }).waitFor();
	await page.keyboard.type(text);
}

describeInBrowser("the builder offers and marks", (web) => {
	it("kinds of nodes before classes that are called alike", async () => {
		const page = await web.open("/builder?class=fvBD");
		await page.getByText("GET /api/class/fvBD.json").waitFor();
		await openAdd(page, "filter");
		await page.getByRole("option", { name: "vzFilter" }).waitFor();
		await page.keyboard.press("Enter");
		await page.getByLabel("Property").waitFor();
		await expect.poll(() => getNode(page, "vzFilter").count()).toBe(0);
	});

	it("children of the selected class, and where its relations lead, in one click", async () => {
		const page = await web.open("/builder?class=fvBD");
		await getNode(page, "fvBD").click();
		await openAdd(page, "");
		await page.getByRole("option", { name: /^fvSubnet/ }).waitFor();
		await expect.poll(() => page.getByRole("option", { name: /^fvTenant/ }).count()).toBe(0);
		await page.keyboard.type("fvCtx");
		await page.getByRole("option", { name: "fvCtx follow fvRsCtx" }).click();
		await getNode(page, "fvRsCtx").waitFor();
		await page.getByText("GET /api/class/fvCtx.json").waitFor();
		await page.getByRole("button", { name: /^Run on/ }).click();
		await page.getByRole("region", RESULTS).getByText("Succeeded").waitFor();
		await page.getByLabel("Filter rows").fill("class:fvCtx");
		await page
			.getByRole("gridcell", { name: /\/ctx-/ })
			.first()
			.waitFor();
	});

	it("properties of the model, and says so where one is not in it", async () => {
		const page = await web.open("/builder?class=fvBD");
		await getNode(page, "fvBD").click();
		await openAdd(page, "filter");
		await page.keyboard.press("Enter");
		const field = page.getByLabel("Property");
		await field.fill("nmae");
		await page.getByRole("status").getByText(/nmae/).waitFor();
		await page.getByRole("button", { name: "Use name", exact: true }).click();
		await expect.poll(() => field.inputValue()).toBe("name");
		await page.getByRole("status").getByText(/nmae/).waitFor({ state: "detached" });
		const options = (label: string) =>
			page
				.getByLabel(label, { exact: true })
				.evaluate((input: HTMLInputElement) => [...(input.list?.options ?? [])].map(({ value }) => value));
		await expect.poll(() => options("Property")).toContain("unicastRoute");
		await field.fill("unkMacUcastAct");
		await expect.poll(() => options("Value")).toContain("proxy");
	});

	it("an edge that the model does not have, with the way to mend it", async () => {
		const page = await web.open("/builder?class=fvRsCtx");
		await page.getByText("GET /api/class/fvRsCtx.json").waitFor();
		await openAdd(page, "fvCtx");
		await page.keyboard.press("Enter");
		await getNode(page, "fvRsCtx").click();
		await page.getByRole("button", { name: "Connect to" }).click();
		await page.getByRole("option", { name: /^fvCtx/ }).click();
		await page.getByRole("button", { name: "Follow the relation instead" }).click();
		await page.locator(".weft-pipeline").waitFor();
	});

	it("in red an edge between stages that share an output, and gives the later one its own", async () => {
		const page = await web.open("/builder?class=fvBD");
		await getNode(page, "fvBD").click();
		await openAdd(page, "fvCtx");
		await page.getByRole("option", { name: "fvCtx follow fvRsCtx" }).click();
		await page.getByText("GET /api/class/fvCtx.json").waitFor();
		await getNode(page, "fvCtx").last().click();
		await page.getByRole("button", { name: "Connect to" }).click();
		await page
			.getByRole("option", { name: /^output/ })
			.first()
			.click();
		await page.locator(".weft-wrong").waitFor();
		const banner = page.getByRole("alert").filter({ hasText: "Both stages lead to the same output" });
		await page.getByRole("button", { name: /^Run on/ }).click();
		await page.getByText(/fvRsCtx → fvCtx: A pipeline edge must lead to another stage/).waitFor();
		await banner.getByRole("button", { name: "Add an output" }).click();
		await page.locator(".weft-wrong").waitFor({ state: "detached" });
		await page.getByRole("button", { name: /^Run on/ }).click();
		await page.getByRole("region", RESULTS).getByText("Succeeded").waitFor();
	});

	it("one selection after an undo, and brings what is added into sight", async () => {
		const page = await web.open(`/builder/${web.queryId}`, { width: 1024, height: 700 });
		await getNode(page, "fvSubnet").click();
		await openAdd(page, "fvTenant");
		await page.keyboard.press("Enter");
		await page.keyboard.press("Control+z");
		await page.getByRole("button", { name: "Show everything" }).click();
		await getNode(page, "fvBD").click();
		await page.getByRole("heading", { level: 2, name: "fvBD Class" }).waitFor();
		await openAdd(page, "filter");
		await page.keyboard.press("Enter");
		await page.getByLabel("Property").waitFor();
		const added = page.locator(".react-flow__node").getByRole("button", { name: /^Filter /, pressed: true });
		const inSight = async () => {
			const box = await added.boundingBox();
			const frame = await page.getByRole("application", { name: "Canvas" }).boundingBox();
			return box && frame && box.x >= frame.x && box.x + box.width <= frame.x + frame.width + 1;
		};
		await expect.poll(inSight).toBe(true);
	});

	it("shows the rows of every class of a fast run, and no time that is not the class's own", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		await page.getByText("class query").first().waitFor();
		// Nobody hears the frames: the run itself tells what its nodes did.
		await page.routeWebSocket(/chain-execution/, () => {});
		await page.getByRole("button", { name: /^Run on/ }).click();
		await page.getByRole("region", RESULTS).getByText("Succeeded").waitFor();
		for (const name of ["fvBD", "fvSubnet"])
			await getNode(page, name)
				.getByText(/^\d+ rows$/)
				.waitFor();
		await expect.poll(() => page.locator(".react-flow__node").getByText("Reading").count()).toBe(0);
	});

	it("no node reading after a failure", async () => {
		await web.lab.faults({
			error: { on: true, match: "fvSubnet", status: 400, code: 107, text: "Refused on purpose" },
		});
		try {
			const page = await web.open(`/builder/${await web.copyOfQuery("Refused in part")}`);
			await page.getByText("class query").first().waitFor();
			await page.getByRole("button", { name: /^Run on/ }).click();
			await page
				.getByRole("region", RESULTS)
				.getByText(/Refused on purpose/)
				.waitFor();
			await page.locator(".react-flow__node").getByText("Failed").first().waitFor();
			await page.locator(".react-flow__node").getByText("Reading").first().waitFor({ state: "detached" });
		} finally {
			await web.lab.faults({ error: false });
		}
	});

	it("edges around the nodes between their ends", async () => {
		const names = ["start", "fvTenant", "fvBD", "fvSubnet", "output"];
		const types = ["startNode", "classNode", "classNode", "classNode", "outputNode"];
		const nodes = names.map((name, index) => ({
			id: name,
			type: types[index],
			position: { x: index * 240, y: 100 },
			data: types[index] === "classNode" ? { className: name } : {},
		}));
		const pairs = [
			["start", "fvTenant"],
			["fvTenant", "fvBD"],
			["fvBD", "fvSubnet"],
			["fvBD", "output"],
			["fvSubnet", "output"],
		];
		const edges = pairs.map(([source, target]) => ({ id: `${source} ${target}`, source, target }));
		deleteAfterTest(web.client(), savedQueryRoutes, "All in one line");
		const { id } = await web.client().call(savedQueryRoutes.create, {
			body: { name: "All in one line", flow_data: { nodes, edges } as never },
		});
		const page = await web.open(`/builder/${id}`);
		await getNode(page, "fvSubnet").waitFor();
		/** Nodes, other than its ends, that points of an edge lie in. */
		const crossed = () =>
			page.evaluate(() => {
				const drawn = [...document.querySelectorAll(".react-flow__node")];
				return [...document.querySelectorAll<SVGPathElement>(".react-flow__edge")].flatMap((edge) => {
					const ends = (edge.dataset.id ?? "").split(" ");
					const path = edge.querySelector<SVGPathElement>(".react-flow__edge-path");
					const matrix = path?.getScreenCTM();
					if (!path || !matrix) return ["nothing is drawn"];
					return drawn
						.filter((node) => {
							const { left, right, top, bottom } = node.getBoundingClientRect();
							return Array.from({ length: 200 }, (_, part) =>
								path.getPointAtLength((path.getTotalLength() * part) / 200).matrixTransform(matrix),
							).some(({ x, y }) => x > left + 1 && x < right - 1 && y > top + 1 && y < bottom - 1);
						})
						.map((node) => node.getAttribute("data-id") ?? "")
						.filter((name) => !ends.includes(name));
				});
			});
		await expect.poll(() => page.locator(".react-flow__edge-path").count()).toBe(pairs.length);
		await expect.poll(crossed).toEqual([]);
	});

	it("a node on the selected edge", async () => {
		const id = await web.copyOfQuery("With one more node");
		const page = await web.open(`/builder/${id}`);
		await getNode(page, "fvSubnet").waitFor();
		const ends = () =>
			page.locator(".react-flow__edge").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
		const edge = page.locator(".react-flow__edge").nth(2);
		const [before, own] = [await ends(), await edge.getAttribute("aria-label")];
		expect(own).toMatch(/from .+ to /);
		// In the middle of the line, whatever its box.
		const middle = await edge.locator(".react-flow__edge-interaction").evaluate((path: SVGPathElement) => {
			const point = path.getPointAtLength(path.getTotalLength() / 2).matrixTransform(path.getScreenCTM() ?? undefined);
			return { x: point.x, y: point.y };
		});
		await page.mouse.click(middle.x, middle.y);
		await page.locator(".react-flow__edge.selected").waitFor();
		await openAdd(page, "fvAp");
		await page
			.getByRole("option", { name: /^fvAp(?!\w)/ })
			.first()
			.waitFor();
		await page.keyboard.press("Enter");
		await getNode(page, "fvAp").waitFor();
		await expect.poll(async () => (await ends()).length).toBe(before.length + 1);
		expect(await ends()).not.toContain(own);
	});
});
