/** Shared by benchmarks of the web interface: Chromium, a session, rounds and their figures. */
import { existsSync } from "node:fs";
import { authRoutes } from "@weft/contracts";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { computeMedian, PASSWORD, printFigure, type startService } from "./tools.ts";

const ROUNDS = 5;

/** Needs Chromium; WEFT_TEST_BROWSER sets its path. */
export function startBrowser(): Promise<Browser> {
	const executablePath = [
		process.env.WEFT_TEST_BROWSER ?? "",
		"/usr/bin/chromium-headless-shell",
		"/usr/bin/chromium",
		"/usr/bin/chromium-browser",
		"/usr/bin/google-chrome",
	].find((path) => path !== "" && existsSync(path));
	if (executablePath === undefined)
		throw new Error("There is no Chromium (Debian: apt-get install chromium-headless-shell).");
	return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
}

/** A profile of the browser with the session of the administrator. */
export async function openSignedIn(
	browser: Browser,
	service: Awaited<ReturnType<typeof startService>>,
): Promise<BrowserContext> {
	const profile = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: service.url });
	const login = await service.client.call(authRoutes.login, { body: { username: "admin", password: PASSWORD } });
	if (!("refresh" in login)) throw new Error("there is no session");
	await profile.addInitScript((token) => sessionStorage.setItem("weft.session", token), login.refresh);
	return profile;
}

/** Milliseconds of each round. */
export async function measureRounds(measure: () => Promise<number>): Promise<number[]> {
	const figures: number[] = [];
	for (let round = 0; round < ROUNDS; round++) figures.push(await measure());
	return figures;
}

/** Prints the median and all rounds. */
export function printRounds(name: string, figures: readonly number[], goal?: number): void {
	const ms = computeMedian(figures);
	const met = goal === undefined || ms <= goal;
	const rounds = figures.map((each) => each.toFixed(0)).join(" ");
	printFigure(name, `${ms.toFixed(1)} ms`, goal === undefined ? undefined : { met, text: `${rounds}; ≤ ${goal} ms` });
	if (!met) process.exitCode = 1;
}
