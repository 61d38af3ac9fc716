/** Drawing on the canvas with the mouse: the view, chips, the plus of a node, the inspector. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";

const getNode = (page: Page, name: string) => page.locator(".react-flow__node").filter({ hasText: name });
const getInspector = (page: Page) => page.getByRole("complementary", { name: "Inspector" });

/** Smallest text of the nodes as it is shown, in pixels, and nodes that are not wholly in view. */
const measureCanvas = (page: Page) =>
	page.evaluate(() => {
		const frame = document.querySelector(".react-flow")?.getBoundingClientRect() ?? new DOMRect();
		const nodes = [...document.querySelectorAll<HTMLElement>(".react-flow__node")];
		const outside = nodes.filter((node) => {
			const { left, right, top, bottom } = node.getBoundingClientRect();
			return left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom;
		});
		const sizes = nodes.flatMap((node) => {
			const scale = node.getBoundingClientRect().width / node.offsetWidth;
			const texts = [...node.querySelectorAll("*")].filter((each) => (each.textContent ?? "") !== "");
			return texts.map((each) => Number.parseFloat(getComputedStyle(each).fontSize) * scale);
		});
		return { nodes: nodes.length, outside: outside.length, smallest: Math.min(...sizes) };
	});

describeInBrowser("drawing on the canvas", (web) => {
	it.each([
		[1024, 768],
		[1440, 900],
	])("shows a whole query with legible text on opening at %i x %i, without a change to save", async (width, height) => {
		const page = await web.open(`/builder/${web.queryId}`, { width, height });
		await expect.poll(() => measureCanvas(page)).toMatchObject({ nodes: 5, outside: 0 });
		expect((await measureCanvas(page)).smallest).toBeGreaterThanOrEqual(11);
		expect(await page.getByText("unsaved changes").count()).toBe(0);
		await page.getByRole("button", { name: "Tidy up" }).click();
		await expect.poll(() => measureCanvas(page)).toMatchObject({ nodes: 5, outside: 0 });
		expect((await measureCanvas(page)).smallest).toBeGreaterThanOrEqual(11);
	});

	it("keeps the size of nodes when a run shows its state, and points wires with arrows", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		const node = getNode(page, "fvSubnet");
		await node.getByText(/^\d+ in fab-dc1$/).waitFor();
		const measure = () => node.evaluate((element: HTMLElement) => element.offsetHeight);
		const before = await measure();
		await page.getByRole("button", { name: /^Run on/ }).click();
		await node.getByText("Done").waitFor();
		expect(await measure()).toBe(before);
		const markers = await page
			.locator(".react-flow__edge-path")
			.evaluateAll((paths) => paths.map((path) => path.getAttribute("marker-end")));
		expect(markers).toHaveLength(5);
		expect(markers.every((marker) => marker?.startsWith("url("))).toBe(true);
	});

	it("draws the labels of wires clear of nodes, where new nodes are put and where they are tidied up", async () => {
		const page = await web.open("/builder?class=fvBD");
		await page.getByText("GET /api/class/fvBD.json").waitFor();
		for (const name of ["fvSubnet", "fvRsCtx"]) {
			await page.getByRole("button", { name: "Add after fvBD" }).click();
			await page
				.getByRole("dialog", { name: "Add after fvBD" })
				.getByRole("option", { name: new RegExp(`^${name}`) })
				.click();
			await getNode(page, name).waitFor();
		}
		// The output has made room, and everything is still in view.
		await expect.poll(() => measureCanvas(page)).toMatchObject({ nodes: 5, outside: 0 });
		await page.getByRole("button", { name: /^Run on/ }).click();
		await expect.poll(() => page.getByText("Done", { exact: true }).count()).toBe(3);
		const findHidden = () =>
			page.evaluate(() => {
				const measure = (selector: string) =>
					[...document.querySelectorAll(selector)].map((each) => each.getBoundingClientRect());
				const nodes = measure(".react-flow__node");
				const pluses = measure(".react-flow__node button[aria-label^='Add after']");
				const labels = measure(".react-flow__edge-text");
				const isCovered = (label: DOMRect) =>
					[...nodes, ...pluses].some(
						(box) =>
							box.left < label.right && box.right > label.left && box.top < label.bottom && box.bottom > label.top,
					);
				// A wire begins at the middle of a plus: a label on that line would hide it.
				const hidesWire = (label: DOMRect) =>
					pluses.some(
						({ right, top, bottom }) =>
							Math.abs(label.left - right) < 10 && label.top < (top + bottom) / 2 && label.bottom > (top + bottom) / 2,
					);
				return { labels: labels.length, hidden: labels.filter((each) => isCovered(each) || hidesWire(each)).length };
			});
		await expect.poll(findHidden).toEqual({ labels: 5, hidden: 0 });
		await page.getByRole("button", { name: "Tidy up" }).click();
		await expect.poll(findHidden).toEqual({ labels: 5, hidden: 0 });
	});

	it("shows a filter as a chip that is edited in its class, and saves the same node and edge", async () => {
		const id = await web.copyOfQuery("Edited as a chip");
		const page = await web.open(`/builder/${id}`);
		await page.getByRole("button", { name: 'Filter name ≠ "common"' }).click();
		await page.getByLabel("Value").fill("infra");
		await page.getByRole("button", { name: 'Filter name ≠ "infra"' }).waitFor();
		const saved = page.waitForRequest((request) => request.method() === "PATCH" || request.method() === "PUT");
		await page.getByRole("button", { name: "Save", exact: true }).click();
		const { flow_data } = (await saved).postDataJSON() as {
			flow_data: { nodes: { id: string; type: string }[]; edges: { source: string; target: string }[] };
		};
		const filter = flow_data.nodes.find(({ type }) => type === "filterNode");
		expect(filter).toMatchObject({ data: { property: "name", operator: "ne", value: "infra" } });
		expect(flow_data.edges.filter(({ target }) => target === filter?.id)).toHaveLength(1);
		await page.getByText("unsaved changes").waitFor({ state: "detached" });
		await page.getByRole("button", { name: 'Filter name ≠ "infra"' }).click();
		await getInspector(page).getByRole("button", { name: "Delete" }).click();
		await expect.poll(() => page.getByRole("button", { name: /^Filter name/ }).count()).toBe(0);
	});

	it("offers related classes with counts at a plus, and where a wire is dropped", async () => {
		const page = await web.open("/builder?class=fvBD");
		await page.getByText("GET /api/class/fvBD.json").waitFor();
		const plus = page.getByRole("button", { name: "Add after fvBD" });
		await plus.click();
		const dialog = page.getByRole("dialog", { name: "Add after fvBD" });
		await dialog.getByText("Below it").waitFor();
		await dialog.getByText("Related to it").waitFor();
		await dialog.getByText("Above it").waitFor();
		await dialog.getByRole("option", { name: /^fvSubnet .*\d+ in fab-dc1/ }).waitFor();
		expect(await dialog.getByRole("option", { name: /^faultSummary/ }).count()).toBe(0);
		await dialog.getByRole("option", { name: /^fvSubnet/ }).click();
		await getNode(page, "fvSubnet").waitFor();
		const box = await page.getByRole("button", { name: "Add after fvSubnet" }).boundingBox();
		if (box === null) throw new Error("The plus is not drawn.");
		await page.mouse.move(box.x + 10, box.y + 10);
		await page.mouse.down();
		await page.mouse.move(box.x + 60, box.y + 120, { steps: 5 });
		await page.mouse.up();
		const dropped = page.getByRole("dialog", { name: "Add after fvSubnet" });
		await dropped.getByRole("option", { name: /^Filter by text pattern/ }).click();
		await getNode(page, "fvSubnet")
			.getByRole("button", { name: /^Filter name starts with/ })
			.waitFor();
	});

	it("creates a variable that a filter uses, shows it in the request, and asks for it with choices", async () => {
		const page = await web.open("/builder?class=fvTenant");
		await page.getByText("GET /api/class/fvTenant.json").waitFor();
		await page.getByRole("button", { name: "Add after fvTenant" }).click();
		await page.getByRole("option", { name: /^Filter by value/ }).click();
		const properties = () =>
			page
				.getByLabel("Property", { exact: true })
				.evaluate((input: HTMLInputElement) => [...(input.list?.options ?? [])].map(({ value }) => value));
		await expect.poll(async () => (await properties())[0]).toBe("name");
		await page.getByLabel("Value", { exact: true }).fill("$" + "{tenant}");
		const banner = page
			.getByRole("alert")
			.filter({ hasText: 'Filter "name" uses $' + "{tenant}, which does not exist." });
		await banner.getByRole("button", { name: "Create it" }).click();
		await banner.waitFor({ state: "detached" });
		await page.getByText("‹tenant›").first().waitFor();
		expect(await page.getByText("%24%7B").count()).toBe(0);
		await page.getByRole("button", { name: /^Run on/ }).click();
		const dialog = page.getByRole("dialog", { name: "Values for this run" });
		const field = dialog.getByLabel("tenant", { exact: true });
		const choices = () =>
			field.evaluate((input: HTMLInputElement) => [...(input.list?.options ?? [])].map(({ value }) => value));
		await expect.poll(choices).toContain("common");
		await field.fill("common");
		await dialog.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
	});

	it("finds the join by its name, opens a step that is added, and says the cost for a chosen fabric", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		const inspector = getInspector(page);
		await inspector.getByText("The tenant filter is applied by name, without an extra request.").waitFor();
		expect(await inspector.getByText("GET /api/class/").count()).toBe(2);
		await inspector.getByLabel("Cost for").selectOption({ label: "a typical fabric" });
		await getNode(page, "fvSubnet")
			.getByText(/in fab-dc1$/)
			.waitFor({ state: "detached" });
		await inspector.getByLabel("Add a step").selectOption({ label: "Join into one row" });
		await inspector.getByLabel("One row for each").waitFor();
		await getNode(page, "fvSubnet").click();
		await inspector.getByLabel("Rows", { exact: true }).selectOption({ label: "+ whole subtree" });
		await inspector.getByLabel("Only on this switch").waitFor();
		await inspector.getByText("Advanced").click();
		await inspector.getByLabel("Treat “not listed” as no rows").waitFor();
	});
});
