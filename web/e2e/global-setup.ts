/** One service for all browser tests. Without a browser they are skipped with a hint. */
import type { TestProject } from "vitest/node";
import { BROWSER_HINT, findBrowser } from "./find-browser.ts";
import { type Seeded, seedWorld } from "./seed.ts";
import { findMissingBuild, startWorld } from "./world.ts";

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

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const found = findBrowser(process.env);
	const reason = findMissingBuild() ?? (found.path === null ? `${found.reason}. ${BROWSER_HINT}` : null);
	if (reason !== null || found.path === null) {
		process.stderr.write(`\nThe browser tests are skipped: ${reason}\n\n`);
		project.provide("web", null);
		return async () => {};
	}
	const world = await startWorld();
	const { url, username, password } = world.lab;
	try {
		const automation = { url: world.automation.url, token: world.automation.token };
		const seeded = await seedWorld(world.url, world.lab, automation);
		const lab = { url, username, password };
		project.provide("web", {
			...seeded,
			url: world.url,
			browser: found.path,
			lab,
			automation,
			modelSource: world.modelSource.url,
		});
	} catch (error) {
		await world.close();
		throw error;
	}
	return () => world.close();
}
