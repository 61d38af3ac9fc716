/**
 * Nine questions of an engineer, from a fresh demo: each begins on the overview after the sign-in
 * by the demo's button, and is answered within the counted actions.
 */
import { readFile } from "node:fs/promises";
import { readXlsx } from "hucre/xlsx";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { DEMO_MS, type Demo, startDemo } from "./demo-service.ts";

const DOMAIN = "bd-checkout";
const LONELY_EPG = "kiosk";
const FABRICS = ["fab-dc1", "fab-dc2"];

/** A person at the page: clicks and keys, and how many of them there were. */
class Person {
	actions = 0;
	constructor(readonly page: Page) {}

	async click(target: Locator): Promise<void> {
		await target.click();
		this.actions++;
	}

	/** Presses keys at the same time: one action. */
	async press(keys: string): Promise<void> {
		await this.page.keyboard.press(keys);
		this.actions++;
	}

	/** Types or pastes a text where the focus is: one action. */
	async type(text: string): Promise<void> {
		await this.page.keyboard.insertText(text);
		this.actions++;
	}

	/** Chooses the option of a list whose label begins so: one action. */
	async choose(list: Locator, label: string): Promise<void> {
		const value = await list.getByRole("option", { name: label }).first().getAttribute("value");
		await list.selectOption(value);
		this.actions++;
	}

	/** Opens what the palette finds first for a text. */
	async find(text: string, found: RegExp): Promise<void> {
		await this.press("Control+k");
		await this.page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
		await this.type(text);
		await this.page.getByRole("option", { name: found, selected: true }).waitFor();
		await this.press("Enter");
		await this.page.waitForURL(/\/objects\?/);
	}
}

describeInBrowser("a question of an engineer in a fresh demo", (web) => {
	let demo: Demo;
	beforeAll(async () => {
		demo = await startDemo();
	}, DEMO_MS);
	afterAll(() => demo?.close());

	/** A person on the overview of the demo. */
	async function signIn(username = "ada"): Promise<Person> {
		const page = await web.open(`${demo.url}/login`, { signedIn: false });
		await page.getByRole("button", { name: `Use ${username}` }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		expect(new URL(page.url()).pathname).toBe("/");
		return new Person(page);
	}
	const openPlace = ({ page }: Person, name: string) =>
		page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });

	it("shows what changed since yesterday on the overview, and all changes after one click", async () => {
		const person = await signIn();
		const { page } = person;
		const yesterday = page.getByRole("region", { name: "Since yesterday" });
		for (const fabric of FABRICS)
			await yesterday
				.getByRole("listitem")
				.filter({ hasText: fabric })
				.getByText(/^\d+ changed$/)
				.waitFor();
		await yesterday.getByText(/^by .*mara \(\d+\)$/).waitFor();
		await yesterday
			.getByRole("list", { name: "Most important changes" })
			.getByRole("listitem")
			.filter({ hasText: `uni/tn-Retail-01/BD-${DOMAIN}` })
			.getByText("mara")
			.waitFor();
		expect(person.actions).toBe(0);
		await person.click(openPlace(person, "Changes"));
		await page.getByRole("heading", { level: 1, name: "Changes" }).waitFor();
		await page.getByRole("link", { name: `Compare uni/tn-Retail-01/BD-${DOMAIN}`, exact: true }).waitFor();
		await page
			.getByRole("list", { name: `Changes of uni/tn-Retail-01/BD-${DOMAIN}` })
			.getByText("mara")
			.waitFor();
		expect(person.actions).toBe(1);
	});

	it("shows who changed a bridge domain on the page that its name opens", async () => {
		const person = await signIn();
		await person.find(DOMAIN, new RegExp(`BD-${DOMAIN} .*fvBD · fab-dc1`));
		const changes = person.page.getByRole("list", { name: "Changes of the object" });
		const newest = changes.getByRole("listitem").first();
		await newest.getByText("mara").first().waitFor();
		await newest.getByText("unicastRoute").waitFor();
		expect(person.actions).toBe(3);
	});

	it("shows where an endpoint is after its MAC address, and after its IP address", async () => {
		for (const text of ["0050.56ab.cd21", "10.70.1.21"]) {
			const person = await signIn();
			await person.find(text, /epg-till\/cep-00:50:56:AB:CD:21/);
			const { page } = person;
			await page.getByRole("heading", { level: 1, name: "00:50:56:AB:CD:21" }).waitFor();
			await page.getByText("paths-101/pathep-[eth1/3]").first().waitFor();
			await page.getByText("uni/tn-Retail-01/ap-checkout/epg-till").first().waitFor();
			expect(person.actions).toBe(3);
			await page.close();
		}
	});

	it("reports an uplink that goes down after one dialog", async () => {
		const person = await signIn();
		const { page } = person;
		await person.click(openPlace(person, "Checks"));
		await person.click(page.getByRole("main").getByRole("link", { name: "Templates" }));
		await person.click(page.getByLabel("Filter templates"));
		await person.type("uplink");
		const before = person.actions;
		const name = "No uplink between leaf and spine is down";
		await person.click(page.getByRole("button", { name: `Add this check: ${name}` }));
		const dialog = page.getByRole("dialog", { name: `Add this check: ${name}` });
		await person.choose(dialog.getByLabel("How often"), "Every 5 minutes");
		await dialog.getByText("Recipients", { exact: true }).waitFor();
		await person.click(dialog.getByRole("button", { name: "Add", exact: true }));
		await page.getByRole("heading", { level: 1, name }).waitFor();
		await page.getByText("topology/pod-1/node-104/sys/phys-[eth1/12]/phys").first().waitFor();
		await page.getByText("No schedule runs this check's query.").waitFor({ state: "detached" });
		expect(person.actions - before).toBe(3);
		expect(before).toBeLessThanOrEqual(4);
	});

	it("lists EPGs without a contract after two clicks", async () => {
		const person = await signIn();
		const { page } = person;
		await person.click(openPlace(person, "Gallery"));
		await person.click(page.getByRole("button", { name: "Run Which EPGs have no contract?" }));
		const answer = page.getByRole("region", { name: "Answer" });
		await answer.getByRole("gridcell", { name: LONELY_EPG, exact: true }).waitFor();
		await answer.getByText("1 row", { exact: true }).first().waitFor();
		expect(person.actions).toBe(2);
	});

	it("saves all VLANs of both fabrics as Excel", async () => {
		const person = await signIn();
		const { page } = person;
		// The question, …
		await person.click(openPlace(person, "Gallery"));
		await person.click(page.getByRole("button", { name: "Which VLANs are in use on static ports?", exact: true }));
		// … the fabrics, …
		await person.choose(page.getByLabel("Fabric or group"), "Both data centres");
		await person.click(page.getByRole("button", { name: "Run", exact: true }));
		const answer = page.getByRole("region", { name: "Answer" });
		await answer.getByRole("gridcell").first().waitFor();
		// … and Excel.
		await person.click(answer.getByRole("button", { name: "Export visible rows" }));
		const saved = page.waitForEvent("download");
		await person.click(page.getByRole("menuitem", { name: "Save Excel" }));
		const path = await (await saved).path();
		const { sheets } = await readXlsx(await readFile(path));
		const [heads = [], ...rows] = sheets[0]?.rows ?? [];
		expect(heads).toEqual(expect.arrayContaining(["connection", "encap"]));
		const fabrics = rows.map((row) => row[heads.indexOf("connection")]);
		expect([...new Set(fabrics)].sort()).toEqual(FABRICS);
		const shown = await answer
			.getByText(/^\d+ rows$/)
			.first()
			.textContent();
		expect(`${rows.length} rows`).toBe(shown);
		expect(person.actions).toBeLessThanOrEqual(6);
	});

	it("shows the differences of two fabrics after one button of Snapshots, without ids", async () => {
		const person = await signIn();
		const { page } = person;
		await person.click(openPlace(person, "Snapshots"));
		await person.click(page.getByRole("link", { name: "Compare fabrics" }));
		const lines = page.getByRole("region", { name: "Attributes that differ" });
		const route = lines
			.getByRole("row")
			.filter({ hasText: `BD-${DOMAIN}` })
			.filter({ hasText: "unicastRoute" });
		await route.waitFor();
		expect((await route.getByRole("cell").allTextContents()).slice(1)).toEqual(["unicastRoute", "no", "yes"]);
		for (const id of ["pcTag", "seg", "uid"])
			expect(await lines.getByRole("cell", { name: id, exact: true }).count()).toBe(0);
		expect(person.actions).toBe(2);
	});

	it("shows on the overview whether anything is wrong, without an action", async () => {
		const person = await signIn();
		const { page } = person;
		const strip = page.getByRole("region", { name: "Is anything wrong right now?" });
		await strip.getByRole("region", { name: "Checks" }).getByText("1 critical failing").waitFor();
		const faults = strip.getByRole("region", { name: "Faults" });
		for (const fabric of FABRICS) await faults.getByText(fabric).waitFor();
		// The uplink that failed yesterday.
		await faults.getByText(/^\d+ major.*1 more than on \d{4}-\d\d-\d\d$/).waitFor();
		await strip.getByRole("region", { name: "Connections" }).getByText("2 fabrics answered").waitFor();
		expect(person.actions).toBe(0);
	});

	it("approves and launches a request with six clicks", async () => {
		const person = await signIn();
		const { page } = person;
		await person.click(openPlace(person, "Requests"));
		await person.click(page.getByRole("link", { name: "Bridge domains for the web shop" }));
		await person.click(page.getByRole("button", { name: "Approve", exact: true }));
		await person.click(page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }));
		await person.click(page.getByRole("button", { name: "Launch the job", exact: true }));
		await person.click(page.getByRole("dialog").getByRole("button", { name: "Launch the job", exact: true }));
		await page.getByText("Succeeded").first().waitFor();
		for (const name of ["bd-shop-web", "bd-shop-db"])
			await page.getByRole("row").filter({ hasText: name }).getByText("Changed").waitFor();
		expect(person.actions).toBe(6);
	});
});
