/** The query builder with the keyboard only: draw, run, stop, save, reopen. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, readKeptDraft } from "./browser.ts";
import { QUERY } from "./seed.ts";

const getCanvas = (page: Page) => page.getByRole("application", { name: "Canvas" });
const getNode = (page: Page, name: string) => page.locator(".react-flow__node").filter({ hasText: name });

/** A filter in its class. */
const getFilter = (page: Page, text: string) =>
	page.locator(".react-flow__node").getByRole("button", { name: new RegExp(`^Filter .*${text}`) });

async function addNode(page: Page, name: string): Promise<void> {
	await page.keyboard.press("a");
	await page.getByRole("dialog", { name: /^Add a node/ }).waitFor();
	await page.keyboard.type(name);
	await page.getByRole("option").filter({ hasText: name }).first().waitFor();
	await page.keyboard.press("Enter");
	await getNode(page, name).waitFor();
}

async function connectTo(page: Page, name: string): Promise<void> {
	await page.keyboard.press("c");
	await page.getByRole("dialog", { name: /^Connect/ }).waitFor();
	await page.keyboard.type(name);
	await page.keyboard.press("Enter");
	await page.getByRole("dialog").waitFor({ state: "detached" });
}

describeInBrowser("the builder", (web) => {
	it("takes a query from the first key to its rows without a mouse", async () => {
		const page = await web.open("/builder");
		await getCanvas(page).focus();
		await page.keyboard.press("ArrowRight");
		await page.getByText("Start start, leads nowhere").waitFor({ state: "attached" });
		await addNode(page, "fvTenant");
		await addNode(page, "fvBD");
		await getCanvas(page).focus();
		await connectTo(page, "output");
		expect(await page.locator(".react-flow__edge").count()).toBe(3);
		await page.getByText("class query").waitFor();
		await page.getByText("GET /api/class/fvBD.json").waitFor();
		await page.keyboard.press("Control+Enter");
		await page.getByRole("grid", { name: /rows/ }).waitFor();
		await getNode(page, "fvBD").getByText("Done").waitFor();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
		await getCanvas(page).focus();
		await page.keyboard.press("Control+z");
		await page.locator(".react-flow__edge").nth(2).waitFor({ state: "detached" });
		await page.keyboard.press("Control+Shift+z");
		await page.locator(".react-flow__edge").nth(2).waitFor();
	});

	it("says what is wrong where it is wrong, and why an edge cannot be", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		await getFilter(page, "common").click();
		await page.getByLabel("Property").fill("bad name!");
		await page.getByRole("alert").filter({ hasText: "Must be a property name" }).waitFor();
		await getFilter(page, "bad name!.*Must be a property name").waitFor();
		await getNode(page, "fvSubnet").click();
		await page.getByRole("button", { name: "Connect to" }).click();
		await page
			.getByRole("option", { name: /fvTenant/ })
			.getByText("This edge would close a cycle.")
			.waitFor();
	});

	it("announces the version that saving makes, makes it, and keeps the one before", async () => {
		const { client } = await web.user("versions");
		const page = await web.open(`/builder/${await web.copyOfQuery("Versions", client)}`);
		await getFilter(page, "common").click();
		await page.getByLabel("Value").fill("infra");
		await page.getByText("saving makes").getByText("v1.1").waitFor();
		await page.keyboard.press("Control+s");
		await page.getByText("Saved as v1.1").waitFor();
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Versions" }).click();
		const old = page.getByRole("listitem").filter({ hasText: "v1.0" });
		await old.getByRole("button", { name: "Open" }).click();
		await page.getByText("An old version").waitFor();
		await getFilter(page, "common").waitFor();
	});

	it("finds what was left unsaved, and can do without it", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		await getNode(page, "fvSubnet").click();
		await page.getByLabel("Class").fill("fvRsCtx");
		await page.getByText("unsaved changes").waitFor();
		await readKeptDraft(page, "fvRsCtx");
		await page.reload();
		await page.getByText(/Unsaved draft from/).waitFor();
		await getNode(page, "fvRsCtx").waitFor();
		await page.getByRole("button", { name: "Discard it" }).click();
		await getNode(page, "fvSubnet").waitFor();
	});

	it("shows the first rows of one class without a run", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		await getNode(page, "fvTenant").getByText("fvTenant", { exact: true }).click();
		await page.getByRole("button", { name: "Run to here" }).click();
		await page.getByRole("heading", { name: "First rows of fvTenant" }).waitFor();
		await page
			.getByRole("gridcell", { name: /^uni\/tn-/ })
			.first()
			.waitFor();
	});

	it("stops a run that hangs", async () => {
		await web.lab.faults({ hang: { on: true, match: "fvCEp" } });
		try {
			const page = await web.open("/builder?class=fvCEp");
			await page.getByText("GET /api/class/fvCEp.json").waitFor();
			await page.getByRole("button", { name: "Run on fab-dc1" }).click();
			await getNode(page, "fvCEp").getByText("Reading").waitFor();
			await page.getByRole("button", { name: "Stop" }).click();
			await page.getByRole("region", { name: "Results" }).getByText("Cancelled").waitFor();
			await getNode(page, "fvCEp").getByText("Stopped").waitFor();
		} finally {
			await web.lab.faults({ hang: false });
		}
	});

	it("tells why a run failed, on the node and below", async () => {
		await web.lab.faults({ error: { on: true, match: "fvCtx", status: 400, code: 107, text: "Unknown property" } });
		try {
			const page = await web.open("/builder?class=fvCtx");
			await page.getByText("GET /api/class/fvCtx.json").waitFor();
			await page.getByRole("button", { name: "Run on fab-dc1" }).click();
			await page
				.getByRole("region", { name: "Results" })
				.getByText(/Unknown property/)
				.waitFor();
			await getNode(page, "fvCtx").getByText("Failed").waitFor();
		} finally {
			await web.lab.faults({ error: false });
		}
	});

	it("has the same query as a list, which is what a narrow screen shows", async () => {
		const page = await web.open(`/builder/${web.queryId}`, { width: 390, height: 780 });
		const list = page.getByRole("list", { name: "Nodes of the query" });
		await list
			.getByRole("button", { name: /fvTenant/ })
			.first()
			.waitFor();
		expect(await list.getByRole("listitem").count()).toBeGreaterThanOrEqual(6);
		await page.getByRole("heading", { name: QUERY }).waitFor();
	});
});
