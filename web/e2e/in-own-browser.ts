/** A browser for tests that start a service of their own. */
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { BROWSER_HINT, BROWSER_OPTIONS } from "./find-browser.ts";

/**
 * Declares tests that get one browser. Without a browser they are skipped, and with `CI` set they
 * fail. `getBrowser` may be called once the tests run.
 */
export function describeInOwnBrowser(name: string, tests: (getBrowser: () => Browser) => void): void {
	const executablePath = inject("browserPath");
	describe.skipIf(executablePath === null && !process.env.CI)(name, () => {
		let browser: Browser | undefined;
		beforeAll(async () => {
			if (executablePath === null) throw new Error(`There is no browser. ${BROWSER_HINT}`);
			browser = await chromium.launch({ executablePath, ...BROWSER_OPTIONS });
		});
		afterAll(() => browser?.close());
		tests(() => {
			if (browser === undefined) throw new Error("The browser is started before the first test, not earlier.");
			return browser;
		});
	});
}
