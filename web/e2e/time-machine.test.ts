/**
 * The Time Machine with the keyboard only: year, day, comparison, object; labels; equal snapshots.
 */
import { readFileSync } from "node:fs";
import { timeMachineRoutes } from "@weft/contracts";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { QUERY } from "./seed.ts";

describeInBrowser("the Time Machine", (web) => {
	it("leads from the year to what changed about one object without a mouse", async () => {
		const page = await web.open("/time-machine");
		await page.getByRole("link", { name: QUERY }).focus();
		await page.keyboard.press("Enter");
		const grid = page.getByRole("grid", { name: /^Snapshots in/ });
		await grid.waitFor();
		await grid.locator('[tabindex="0"]').focus();
		expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(
			/3 snapshots, changes found/,
		);
		await page.keyboard.press("ArrowLeft");
		expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/no snapshot/);
		await page.keyboard.press("ArrowRight");
		await page.keyboard.press("Enter");
		await page.waitForURL(/date=/);
		await page.getByRole("heading", { name: /Snapshots on/ }).waitFor();
		const oldest = page.getByRole("radio", { name: /Compare from/ }).last();
		await oldest.focus();
		await page.keyboard.press("Space");
		await page.waitForURL(/from=/);
		await page.getByRole("link", { name: /^Compare/ }).focus();
		await page.keyboard.press("Enter");
		await page.waitForURL(/\/compare/);
		await page.getByText("Modified", { exact: true }).first().waitFor();
		await page.keyboard.press("n");
		await page.waitForURL(/dn=/);
		const dn = new URL(page.url()).searchParams.get("dn");
		await page.getByRole("link", { name: "Track" }).first().focus();
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { name: "Attributes over time" }).waitFor();
		await page.getByRole("region", { name: "Changes" }).getByRole("link", { name: "Compare" }).first().waitFor();
		expect(dn).toMatch(/^uni\//);
	});

	it("keeps a comparison's view in its address, and noise out of it", async () => {
		const [from, , to] = web.snapshotIds;
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${web.queryId}&show=added`);
		await page.getByText("Added").first().waitFor();
		expect(await page.getByText("Modified", { exact: true }).count()).toBe(0);
		await page.getByRole("navigation", { name: "Kinds of changes" }).getByRole("link", { name: /^All/ }).click();
		await page.getByText("Modified").first().waitFor();
		await page.getByRole("button", { name: "Attributes that I hide" }).click();
		await page
			.getByRole("textbox", { name: "Hidden attributes" })
			.fill("modTs\narpFlood\nipLearning\nunicastRoute\nscope");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText(/objects more differ only in/).waitFor();
		await page.reload();
		await page.getByText(/objects more differ only in/).waitFor();
		await page.getByRole("button", { name: "Attributes that I hide" }).click();
		await page.getByRole("textbox", { name: "Hidden attributes" }).fill("modTs");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Modified").first().waitFor();
	});

	it("tells which snapshot brought a value, and shows that snapshot", async () => {
		const page = await web.open(
			`/time-machine/compare?from=${web.snapshotIds[0]}&to=${web.snapshotIds[2]}&query=${web.queryId}&show=modified`,
		);
		await page.getByRole("link", { name: "Track" }).first().click();
		const blame = page.getByRole("region", { name: "Last changes, by attribute" });
		const changed = blame.getByRole("row").nth(1);
		const since = changed.getByRole("link");
		const when = await since.textContent();
		expect(when).not.toMatch(/unchanged/);
		await since.focus();
		await page.keyboard.press("Enter");
		const heading = page.getByRole("heading", { name: /^Snapshot of/ });
		await heading.waitFor();
		expect(await heading.textContent()).toContain(when);
		await page.getByText("37 rows").waitFor();
		await page.getByLabel("Filter rows").fill("class:fvSubnet");
		await page.getByText("17 of 37 rows").waitFor();
		await page.getByRole("button", { name: "Label", exact: true }).click();
		await page.getByLabel("Label", { exact: true }).fill("found by its attribute");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("banner").or(page.locator("header")).getByText("found by its attribute").first().waitFor();
		await page.getByRole("link", { name: "Show in history" }).click();
		await page.getByRole("heading", { name: /Snapshots on/ }).waitFor();
		await page.getByText("found by its attribute").waitFor();
	});

	it("is led to by what tells of a snapshot, and says so where there is none any more", async () => {
		const [first] = web.snapshotIds;
		const page = await web.open(`/open?link=${encodeURIComponent(`/api/time-machine/snapshots/${first}/`)}`);
		await page.waitForURL(`**/time-machine/snapshots/${first}`);
		await page.getByText("37 rows").waitFor();
		const gone = await web.open("/time-machine/snapshots/01890000-0000-7000-8000-000000000000");
		await gone.getByText("This snapshot does not exist, or you have no access to it.").waitFor();
	});

	it("gives a comparison as the files that the service writes, without what is left out", async () => {
		const [from, , to] = web.snapshotIds;
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${web.queryId}`);
		const asked: string[] = [];
		page.on("request", (request) => request.url().includes("format=") && asked.push(request.url()));
		const file = async (item: string) => {
			const download = page.waitForEvent("download");
			await page.getByRole("button", { name: "Export" }).click();
			await page.getByRole("menuitem", { name: item, exact: true }).click();
			const saved = await download;
			return { name: saved.suggestedFilename(), text: readFileSync((await saved.path()) ?? "", "utf8") };
		};
		const csv = await file("Changes as CSV");
		expect(csv.name).toMatch(/^\S+-fab-dc1-\d{4}-\d\d-\d\d(-\d{4}-\d\d-\d\d)?\.csv$/);
		expect(csv.text).toMatch(/modified/);
		expect(csv.text).not.toMatch(/,modTs,/);
		const report = await file("Changes as a report (HTML)");
		expect(report.name).toBe(csv.name.replace(/csv$/, "html"));
		expect((await file("Visible changes as Excel")).name).toBe(csv.name.replace(/\.csv$/, "-visible.xlsx"));
		expect(report.text).toMatch(/^<!doctype html>/i);
		expect(report.text).not.toMatch(/(src|href)="?https?:/);
		expect(asked.map((url) => new URL(url).search)).toEqual(["?format=csv", "?format=html"]);
	});

	it("shows the same change of many objects once, and the objects on demand", async () => {
		const capture = async (scope: string) => {
			const imdata = ["a", "b", "c", "d"].map((name) => ({
				fvSubnet: { attributes: { dn: `uni/tn-${name}/subnet`, name, scope } },
			}));
			const kept = await web.client().call(timeMachineRoutes.capture, {
				body: { result_data: { imdata }, query_name: "Scopes", class_name: "fvSubnet" },
			});
			return "snapshot_id" in kept ? kept.snapshot_id : "";
		};
		const [from, to] = [await capture("private"), await capture("public")];
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}`);
		const differences = page.getByRole("region", { name: "Differences" });
		await differences.getByRole("heading", { name: "The same on 4 fvSubnet objects" }).waitFor();
		await expect.poll(() => differences.getByText("public").count()).toBe(1);
		await expect.poll(() => page.getByRole("button", { name: "Next change" }).isDisabled()).toBe(true);
		await differences.getByRole("button", { name: "Show the objects" }).click();
		await differences.getByRole("button", { name: "Copy uni/tn-c/subnet" }).waitFor();
		await differences.getByRole("button", { name: "Hide the objects" }).click();
		await differences.getByRole("button", { name: "Copy uni/tn-c/subnet" }).waitFor({ state: "detached" });
	});

	it("says in a sentence that two are the same", async () => {
		const [first] = web.snapshotIds;
		const page = await web.open(`/time-machine/compare?from=${first}&to=${first}&query=${web.queryId}`);
		await page.getByText(/The snapshots are equal: 37 objects/).waitFor();
	});

	it("fits a narrow screen: the heatmap begins at today, and values of both sides stand below each other", async () => {
		const narrow = { width: 390, height: 780 };
		const page = await web.open(`/time-machine/${web.queryId}`, narrow);
		const today = page.locator("[data-at][tabindex='0']");
		await today.waitFor();
		const { x = -1, width = 0 } = (await today.boundingBox()) ?? {};
		expect(x).toBeGreaterThanOrEqual(0);
		expect(x + width).toBeLessThanOrEqual(390);
		const [from, , to] = web.snapshotIds;
		await page.goto(`/time-machine/compare?from=${from}&to=${to}&query=${web.queryId}&show=modified`);
		const differences = page.getByRole("region", { name: "Differences" });
		await differences.getByText("+", { exact: true }).first().waitFor();
		expect(await differences.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
		const after = (await differences.getByText("+", { exact: true }).first().boundingBox()) ?? { x: 999 };
		expect(after.x).toBeLessThan(390);
	});

	it("labels a snapshot", async () => {
		onTestFinished(async () => {
			for (const id of web.snapshotIds) {
				const body = { label: null, annotation: null };
				await web.client().call(timeMachineRoutes.annotate, { params: { id }, body });
			}
		});
		const page = await web.open(`/time-machine/${web.queryId}`);
		await page
			.getByRole("button", { name: /^Label the snapshot/ })
			.last()
			.click();
		await page.getByLabel("Label", { exact: true }).fill("before change CHG-20931");
		await page.getByLabel("Note").fill("Asked for by the network board");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("before change CHG-20931").waitFor();
	});

	it("completes a DN and draws its lanes", async () => {
		const page = await web.open(`/time-machine/track?query=${web.queryId}`);
		const field = page.getByRole("combobox", { name: "Distinguished name" });
		await field.click();
		await page.keyboard.type("Finance-01/BD-bd-001");
		await page.getByRole("listbox").getByRole("option").first().waitFor();
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.waitForURL(/dn=/);
		await page.getByRole("img", { name: /^Present/ }).waitFor();
	});
});
