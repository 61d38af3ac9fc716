/**
 * Finds the browser of the walk, and nothing else: the walk starts a service of its own. Without a
 * browser, the last lines of the test run say so; with `CI` set the walk then fails.
 */
import type { TestProject } from "vitest/node";
import { BROWSER_HINT, findBrowser } from "./find-browser.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** Path of a Chromium; null if there is none. */
		browserPath: string | null;
	}
}

export default function setup(project: TestProject): () => void {
	const found = findBrowser(process.env);
	project.provide("browserPath", found.path);
	return () => {
		if (found.path !== null) return;
		const outcome = process.env.CI ? "failed" : "was skipped";
		process.stderr.write(`\nThe walk through the web interface ${outcome}: ${found.reason}.\n${BROWSER_HINT}\n`);
	};
}
