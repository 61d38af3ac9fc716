/** The pictures of the demo in the documents, in the order in which a page takes them. */
import type { Page } from "playwright-core";
import { chooseOption } from "../made/empty-service.ts";
import { waitForHeading } from "../places-account.ts";

interface DemoPicture {
	/** Name of the file, without its theme. */
	readonly name: string;
	/** From the picture before, or from any page, to what this one shows. */
	open(page: Page): Promise<unknown>;
}

const QUERY = "Bridge domains and subnets";
const PASSED_WINDOW = "Bridge domains for the warehouse";
const FAILED_WINDOW = "Bridge domains for the parcel service";

const openPlace = (page: Page, name: string) =>
	page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true }).click();

async function openQuery(page: Page): Promise<void> {
	await openPlace(page, "Library");
	await page.getByRole("link", { name: QUERY, exact: true }).click();
	await page
		.getByText(/^\d+ in fab-dc1$/)
		.first()
		.waitFor();
}

const goTo = (page: Page, path: string) => page.goto(new URL(path, page.url()).href);

async function openTenant(page: Page): Promise<void> {
	await chooseOption(page.getByLabel("Picture", { exact: true }), "Tenant");
	await chooseOption(page.getByLabel("Tenant", { exact: true }), "Retail-01");
	await chooseOption(page.getByLabel("Changes of"), "Changes of 7 days");
	await page.getByRole("group", { name: "Tenant Retail-01, drawn" }).waitFor();
}

export const DEMO_PICTURES: readonly DemoPicture[] = [
	{
		name: "since-yesterday",
		async open(page) {
			await openPlace(page, "Overview");
			await page.getByRole("list", { name: "Most important changes" }).waitFor();
			await page.getByRole("region", { name: "Is anything wrong right now?" }).getByText("fab-dc2").first().waitFor();
		},
	},
	{
		name: "changes",
		async open(page) {
			await openPlace(page, "Changes");
			await page
				.getByRole("link", { name: /^Compare uni/ })
				.first()
				.waitFor();
		},
	},
	{
		name: "changed-object",
		async open(page) {
			await page.getByRole("link", { name: "Compare uni/tn-Retail-01/BD-bd-checkout", exact: true }).click();
			await page.getByText("unicastRoute").first().waitFor();
		},
	},
	{
		name: "object",
		async open(page) {
			await goTo(page, "/find?q=bd-checkout");
			await page
				.getByRole("region", { name: "Objects in snapshots" })
				.getByRole("link", { name: /BD-bd-checkout/ })
				.first()
				.click();
			await waitForHeading("bd-checkout")(page);
			await page.getByRole("list", { name: "Changes of the object" }).getByText("mara").first().waitFor();
		},
	},
	{
		name: "gallery",
		async open(page) {
			await openPlace(page, "Gallery");
			await page.getByRole("button", { name: "Run Which EPGs have no contract?" }).waitFor();
		},
	},
	{
		name: "question",
		async open(page) {
			await page.getByRole("button", { name: "Run Which EPGs have no contract?" }).click();
			await page
				.getByRole("region", { name: "Answer" })
				.getByRole("gridcell", { name: "kiosk", exact: true })
				.waitFor();
		},
	},
	{
		name: "watch-a-question",
		async open(page) {
			await page.getByRole("button", { name: "Watch this" }).click();
			await page.getByRole("dialog").getByText("Recipients", { exact: true }).waitFor();
		},
	},
	{
		name: "add-a-check",
		async open(page) {
			await goTo(page, "/checks/templates?q=uplink");
			await page.getByRole("button", { name: "Add this check: No uplink between leaf and spine is down" }).click();
			await page.getByRole("dialog").getByText("Recipients", { exact: true }).waitFor();
		},
	},
	{
		name: "failing-check",
		async open(page) {
			await goTo(page, "/checks");
			await page.getByRole("link", { name: "Every bridge domain routes", exact: true }).click();
			await page.getByRole("gridcell").first().waitFor();
		},
	},
	{
		name: "history-of-a-query",
		async open(page) {
			await openPlace(page, "Snapshots");
			await page.getByRole("link", { name: QUERY, exact: true }).click();
			await page.getByRole("region", { name: "Snapshots" }).waitFor();
			await page.getByRole("region", { name: "Heatmap" }).getByRole("gridcell").first().waitFor();
		},
	},
	{
		name: "request-to-approve",
		async open(page) {
			await openPlace(page, "Requests");
			await page.getByRole("link", { name: "Bridge domains for the web shop" }).click();
			await page.getByText("Job template").waitFor();
		},
	},
	{
		name: "change-windows",
		async open(page) {
			await openPlace(page, "Change windows");
			await page.getByRole("link", { name: PASSED_WINDOW }).waitFor();
		},
	},
	{
		name: "change-window-passed",
		async open(page) {
			await page.getByRole("link", { name: PASSED_WINDOW }).click();
			await waitForHeading(PASSED_WINDOW)(page);
			await page.getByRole("region", { name: "Findings" }).getByText("Expected", { exact: true }).first().waitFor();
			await page.getByText("from approved rows").first().waitFor();
		},
	},
	{
		name: "change-window-failed",
		async open(page) {
			await openPlace(page, "Change windows");
			await page.getByRole("link", { name: FAILED_WINDOW }).click();
			await waitForHeading(FAILED_WINDOW)(page);
			await page.getByRole("region", { name: "Findings" }).getByText("by another user").waitFor();
		},
	},
	{
		name: "change-plan",
		async open(page) {
			await goTo(page, "/change-plans");
			await page.getByRole("button", { name: "New bridge domains", exact: true }).click();
			await page.getByRole("dialog").getByLabel("Add a query or a check").waitFor();
		},
	},
	{
		name: "compare-fabrics",
		async open(page) {
			await goTo(page, "/time-machine");
			await page.getByRole("link", { name: "Compare fabrics" }).click();
			await chooseOption(page.getByLabel("Query", { exact: true }), QUERY);
			const differing = page.getByRole("region", { name: "Attributes that differ" });
			await differing.getByText("unicastRoute").filter({ visible: true }).first().waitFor();
		},
	},
	{
		name: "only-in-one-fabric",
		async open(page) {
			await page.getByRole("tab", { name: /^Only in fab-dc2/ }).click();
			await page.getByRole("region", { name: "Objects only in fab-dc2" }).waitFor();
		},
	},
	{
		name: "topology",
		async open(page) {
			await openPlace(page, "Pictures");
			await page.getByRole("group", { name: "Topology, drawn" }).waitFor();
		},
	},
	{ name: "tenant", open: openTenant },
	{
		name: "draw-begin",
		async open(page) {
			await openPlace(page, "Builder");
			await page.getByRole("button", { name: "Paste a URL" }).waitFor();
		},
	},
	{ name: "draw-query", open: openQuery },
	{
		name: "draw-filter",
		async open(page) {
			await page.getByRole("button", { name: /^Filter name ≠/ }).click();
			await page.getByLabel("Value", { exact: true }).waitFor();
		},
	},
	{
		name: "draw-run",
		async open(page) {
			await page.getByRole("button", { name: "Run on fab-dc1" }).click();
			await page.getByRole("gridcell").first().waitFor();
			await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
		},
	},
	{
		name: "draw-next",
		async open(page) {
			await openQuery(page);
			await page.getByRole("button", { name: "Add after fvBD" }).click();
			await page
				.getByRole("dialog", { name: "Add after fvBD" })
				.getByRole("option", { name: /in fab-dc1/ })
				.first()
				.waitFor();
		},
	},
];
