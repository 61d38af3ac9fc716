/** One service for all browser tests. Without a browser they are skipped with a hint. */
import { existsSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { type Seeded, seed } from "./seed.ts";
import { missing, startWorld } from "./world.ts";

export interface WebContext extends Seeded {
	readonly url: string;
	readonly browser: string;
	readonly lab: { readonly url: string; readonly username: string; readonly password: string };
	/** The simulated automation server. */
	readonly automation: { readonly url: string; readonly token: string };
	/** Address of the simulated publishing site of the class model. */
	readonly modelSource: string;
}

declare module "vitest" {
	interface ProvidedContext {
		/** Null: the tests are skipped. */
		web: WebContext | null;
	}
}

/** The first that is installed is used. The one without windows takes two thirds of the time. */
const BROWSERS = [
	"/usr/bin/chromium-headless-shell",
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	"/usr/bin/google-chrome-stable",
];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const browser = [process.env.WEFT_TEST_BROWSER ?? "", ...BROWSERS].find((path) => path !== "" && existsSync(path));
	const reason =
		missing() ??
		(browser === undefined
			? "there is no Chromium: install it (Debian: apt-get install chromium-headless-shell), or name one in WEFT_TEST_BROWSER"
			: null);
	if (reason !== null || browser === undefined) {
		process.stderr.write(`\nThe browser tests are skipped: ${reason}.\n\n`);
		project.provide("web", null);
		return async () => {};
	}
	const world = await startWorld();
	const { url, username, password } = world.lab;
	try {
		const automation = { url: world.automation.url, token: world.automation.token };
		const seeded = await seed(world.url, world.lab, automation);
		const lab = { url, username, password };
		project.provide("web", { ...seeded, url: world.url, browser, lab, automation, modelSource: world.modelSource.url });
	} catch (error) {
		await world.close();
		throw error;
	}
	return () => world.close();
}
