/**
 * Not a test: draws the pictures of the documentation in both themes, every screen of a small
 * service and those of the demo.
 * `WEFT_PICTURES=docs/ui npx vitest run --project full-browser pictures`, after a build.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, it } from "vitest";
import { describeInBrowser } from "../browser.ts";
import { DEMO_MS, type Demo, startDemo } from "../demo-service.ts";
import { PLACES } from "../places.ts";
import { USERNAME } from "../world.ts";
import { DEMO_PICTURES } from "./demo-pictures.ts";
import { getFiles, listPictureFiles, THEMES } from "./picture-files.ts";

const target = resolve(process.env.WEFT_PICTURES ?? "docs/ui");
const SIZE = { width: 1280, height: 800 };

async function drawPage(page: Page, name: string): Promise<void> {
	for (const [at, file] of getFiles(name).entries()) {
		const theme = THEMES[at] ?? "light";
		await page.emulateMedia({ colorScheme: theme });
		await page.locator(`html[data-theme="${theme}"]`).waitFor();
		await page.evaluate(() => document.fonts.ready);
		await page.screenshot({ path: join(target, file) });
	}
}

describeInBrowser("pictures", (web) => {
	let demo: Demo;
	beforeAll(async () => {
		mkdirSync(target, { recursive: true });
		demo = await startDemo();
	}, DEMO_MS);
	afterAll(() => demo?.close());

	it("draws every screen of a small service in both themes", async () => {
		for (const { name, path, ready, signedOut = false, drawn = true } of PLACES) {
			if (!drawn) continue;
			const page = await web.open(path(web), { ...SIZE, signedIn: !signedOut });
			await ready(page);
			if (!signedOut) await page.getByRole("navigation", { name: "Main" }).getByText(USERNAME).waitFor();
			if (name === "builder") await page.getByRole("button", { name: "Show everything" }).click();
			await drawPage(page, name);
			await page.context().close();
		}
	});

	it("draws the pictures of the demo that the documents use", async () => {
		const page = await web.open(`${demo.url}/login`, { ...SIZE, signedIn: false });
		await page.getByRole("button", { name: "Use ada" }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		for (const { name, open } of DEMO_PICTURES) {
			await open(page);
			await drawPage(page, name);
		}
	});

	it("deletes pictures whose screen is gone", () => {
		const known = new Set(listPictureFiles());
		for (const file of readdirSync(target))
			if (/-(light|dark)\.png$/.test(file) && !known.has(file)) rmSync(join(target, file));
	});
});
