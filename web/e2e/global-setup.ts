/**
 * One service for each worker of the browser tests, whose files use it one after the other. Without
 * a browser the tests are skipped with a hint.
 */
import type { TestProject } from "vitest/node";
import { BROWSER_HINT, findBrowser } from "./find-browser.ts";
import { type Seeded, seedWorld } from "./seed.ts";
import { findMissingBuild, startWorld, type World } from "./world.ts";

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
		/** One for each worker of the pool; null: the tests are skipped. */
		services: readonly WebContext[] | null;
	}
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
	const found = findBrowser(process.env);
	const reason = findMissingBuild() ?? (found.path === null ? `${found.reason}. ${BROWSER_HINT}` : null);
	if (reason !== null || found.path === null) {
		process.stderr.write(`\nThe browser tests are skipped: ${reason}\n\n`);
		project.provide("services", null);
		return async () => {};
	}
	const browser = found.path;
	const workers = Array.from({ length: project.config.maxWorkers }, () => startSeededWorld(browser));
	const started = await Promise.allSettled(workers);
	const worlds = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
	const close = async () => void (await Promise.all(worlds.map(({ world }) => world.close())));
	const failure = started.find((each) => each.status === "rejected");
	if (failure !== undefined) {
		await close();
		throw failure.reason;
	}
	project.provide(
		"services",
		worlds.map(({ context }) => context),
	);
	return close;
}

async function startSeededWorld(browser: string): Promise<{ world: World; context: WebContext }> {
	const world = await startWorld();
	const { url, username, password } = world.lab;
	try {
		const automation = { url: world.automation.url, token: world.automation.token };
		const seeded = await seedWorld(world.url, world.lab, automation);
		const lab = { url, username, password };
		const context = { ...seeded, url: world.url, browser, lab, automation, modelSource: world.modelSource.url };
		return { world, context };
	} catch (error) {
		await world.close();
		throw error;
	}
}
