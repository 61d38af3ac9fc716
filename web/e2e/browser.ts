/** A browser per test file, its pages, and checks on every page: no console or CSP errors. */
import { join } from "node:path";
import { authRoutes, groupRoutes, savedQueryRoutes, userRoutes } from "@weft/contracts";
import { createClient, type WeftClient } from "@weft/sdk";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished } from "vitest";
import { ignoreMissing } from "./clean-up.ts";
import { BROWSER_OPTIONS } from "./find-browser.ts";
import type { WebContext } from "./global-setup.ts";
import { PASSWORD, USERNAME } from "./world.ts";

/** For a condition on a busy machine. */
const PATIENCE_MS = Number(process.env.WEFT_TEST_PATIENCE ?? 60_000);
/** A folder for pictures of what a failed test saw last. */
const SHOTS = process.env.WEFT_TEST_SHOTS;

type Theme = "light" | "dark";

interface PageOptions {
	readonly theme?: Theme;
	readonly width?: number;
	readonly height?: number;
	/** Without: the sign-in page is what comes. */
	readonly signedIn?: boolean;
	readonly forcedColors?: boolean;
	/** Refresh token of a user other than the first one. */
	readonly as?: string;
	/** Another origin that the page may ask, such as an identity provider's. */
	readonly besides?: string | readonly string[];
	/** True in tests of program errors: the errors of the page do not fail the test. */
	readonly failsOnPurpose?: boolean;
}

export interface Web extends Omit<WebContext, "lab" | "modelSource"> {
	/** A page at an address of the UI, in a browser profile of its own. */
	open(path: string, options?: PageOptions): Promise<Page>;
	/** Signed in as the first user. */
	client(): WeftClient;
	/**
	 * A new user with a session, in these groups besides Users; names must differ. The user is
	 * deleted with all objects when the test ends, so that the test can run again.
	 */
	user(username: string, groups?: readonly string[]): Promise<{ refresh: string; client: WeftClient }>;
	/**
	 * Id of a new query with the canvas of the seeded one, of the first user or of who is given.
	 * For whatever lets a run fail: runs of the seeded query decide what other files see of it.
	 * It is deleted when the test ends.
	 */
	copyOfQuery(name: string, owner?: WeftClient): Promise<string>;
	/** Settings of the simulated controller, such as its faults. */
	lab: WebContext["lab"] & { faults(settings: object): Promise<void> };
	/** Faults of the simulated publishing site. */
	sourceFaults(settings: object): Promise<void>;
}

/**
 * The service that the test files of this worker use. Null without a browser, which skips the
 * tests. Throws if the worker has none.
 */
export function getService(): WebContext | null {
	const services = inject("services");
	if (services === null) return null;
	const worker = Number(process.env.VITEST_POOL_ID);
	const service = services[worker - 1];
	if (service === undefined) throw new Error(`Worker ${worker} has no service; ${services.length} were started.`);
	return service;
}

/** Tests in a browser; skipped as a whole where there is none. */
export function describeInBrowser(name: string, tests: (web: Web) => void): void {
	const context = getService();
	describe.skipIf(context === null)(name, () => {
		let browser: Browser;
		let refresh = "";
		let client: WeftClient;
		const contexts: BrowserContext[] = [];
		const complaints: string[] = [];
		const { url, browser: executablePath } = context ?? { url: "", browser: "" };

		beforeAll(async () => {
			browser = await chromium.launch({ executablePath, ...BROWSER_OPTIONS, timeout: PATIENCE_MS * 2 });
			client = createClient({ baseUrl: url });
			const answer = await client.signIn(USERNAME, PASSWORD);
			if ("refresh" in answer) refresh = answer.refresh;
		});
		afterAll(async () => browser?.close());
		afterEach(async ({ task }) => {
			const shots = task.result?.state === "fail" ? SHOTS : undefined;
			for (const [index, each] of contexts.splice(0).entries()) {
				const name = `${task.name.replace(/\W+/g, "-").slice(0, 60)}-${index}.png`;
				if (shots)
					await each
						.pages()
						.at(-1)
						?.screenshot({ path: join(shots, name) });
				// What a test answered in the service's place may still be under way.
				for (const page of each.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
				await each.close();
			}
			expect(complaints.splice(0)).toEqual([]);
		});

		/** Collects console errors, uncaught errors, and rejections that nothing handles. */
		function watchErrors(page: Page, failsOnPurpose: boolean): void {
			if (failsOnPurpose) return;
			page.on("console", (message) => {
				// The browser itself notes each answer that is no success; the pages say what it means.
				const note = message.text().startsWith("Failed to load resource");
				if (message.type() === "error" && !note) complaints.push(`${page.url()}: ${message.text()}`);
			});
			page.on("pageerror", (error) => {
				// A new page is empty at first, where the profile's script cannot use the storage.
				if (page.url() !== "about:blank") complaints.push(`${page.url()}: ${error.stack ?? error.message}`);
			});
		}

		async function openPage(path: string, options: PageOptions = {}): Promise<Page> {
			const {
				theme = "light",
				width = 1440,
				height = 900,
				signedIn = true,
				forcedColors = false,
				as = refresh,
				besides,
				failsOnPurpose = false,
			} = options;
			const profile = await browser.newContext({
				viewport: { width, height },
				colorScheme: theme,
				reducedMotion: "reduce",
				forcedColors: forcedColors ? "active" : "none",
				baseURL: url,
				timezoneId: "Europe/Paris",
			});
			contexts.push(profile);
			profile.setDefaultTimeout(PATIENCE_MS);
			if (signedIn) await profile.addInitScript((token) => sessionStorage.setItem("weft.session", token), as);
			await profile.addInitScript(reportShownProgramErrors);
			// Further pages of the profile are checked too.
			profile.on("page", (page) => watchErrors(page, failsOnPurpose));
			const page = await profile.newPage();
			const home = new URL(path, url).origin;
			// Works offline: requests go to the service only.
			page.on("request", (request) => {
				const { protocol, origin } = new URL(request.url());
				const asked = origin.replace(/^ws/, "http");
				const isBesides = [asked, new URL(page.url()).origin].some((each) => [besides].flat().includes(each));
				if (/^(http|ws)s?:$/.test(protocol) && asked !== home && !isBesides)
					complaints.push(`${page.url()} asks ${request.url()}`);
			});
			await page.goto(path);
			return page;
		}

		tests({
			...(context as WebContext),
			open: openPage,
			client: () => client,
			async user(username, groups = []) {
				const known = groups.length === 0 ? [] : (await client.call(groupRoutes.list, { query: {} })).results;
				const group_ids = known.filter(({ name }) => groups.includes(name)).map(({ id }) => id);
				const { id } = await client.call(userRoutes.create, {
					body: { username, password: PASSWORD, ...(groups.length === 0 ? {} : { group_ids }) },
				});
				onTestFinished(() => ignoreMissing(client.call(userRoutes.remove, { params: { id } })));
				const own = createClient({ baseUrl: url });
				const answer = await own.signIn(username, PASSWORD);
				// Runs go to the seeded fabric, whatever connections other tests make.
				const body = { default_controller_connection_id: context?.connectionId ?? null };
				await own.call(authRoutes.updatePreferences, { body });
				return { client: own, refresh: "refresh" in answer ? answer.refresh : "" };
			},
			async copyOfQuery(name, owner = client) {
				const params = { id: (context as WebContext).queryId };
				const { flow_data } = await client.call(savedQueryRoutes.detail, { params });
				const { id } = await owner.call(savedQueryRoutes.create, { body: { name, flow_data } });
				onTestFinished(() => ignoreMissing(client.call(savedQueryRoutes.remove, { params: { id } })));
				return id;
			},
			lab: { ...(context as WebContext)?.lab, faults: (settings) => setFaults(context?.lab.url, settings) },
			sourceFaults: (settings) => setFaults(context?.modelSource, settings),
		});
	});
}

/** Runs in the page: writes each program error that the page shows to the console. */
function reportShownProgramErrors(): void {
	const reported = new Set<string>();
	new MutationObserver(() => {
		for (const shown of document.querySelectorAll("[data-program-error]")) {
			const text = shown.textContent ?? "";
			// biome-ignore lint/suspicious/noConsole: the console is where the tests read it
			if (!reported.has(text)) console.error(`The page shows a program error: ${text}`);
			reported.add(text);
		}
	}).observe(document, { subtree: true, childList: true });
}

async function setFaults(simulator: string | undefined, settings: object): Promise<void> {
	const answer = await fetch(`${simulator}/_lab/faults`, { method: "POST", body: JSON.stringify(settings) });
	if (!answer.ok) throw new Error(`The simulator answered ${answer.status}: ${await answer.text()}`);
}

/** The rules of axe that look at colours. The others say the same in every theme. */
const COLOR_RULES: readonly string[] = ["color-contrast", "link-in-text-block"];

/** Every rule of WCAG 2.2 AA that a machine can check, and the recommended ones. */
export const findViolations = (page: Page): Promise<string[]> => listViolations(page, null);

/** The rules about colours, for a page whose other rules were checked in another theme. */
export const findColorViolations = (page: Page): Promise<string[]> => listViolations(page, COLOR_RULES);

async function listViolations(page: Page, rules: readonly string[] | null): Promise<string[]> {
	if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
	const found = await page.evaluate(async (names) => {
		const { axe: runner } = globalThis as unknown as { axe: typeof axe };
		const { violations: list } = await runner.run(document, {
			resultTypes: ["violations"],
			...(names === null ? {} : { runOnly: { type: "rule" as const, values: [...names] } }),
		});
		return list.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => ({ id, target, failureSummary })));
	}, rules);
	return found.map(({ id, target, failureSummary }) => `${id} at ${target.join(" ")}: ${failureSummary}`);
}

/** Waits until the browser has stored a draft with the text. */
export async function readKeptDraft(page: Page, text: string): Promise<void> {
	await expect
		.poll(() =>
			page.evaluate(async (wanted) => {
				const known = await indexedDB.databases();
				if (!known.some(({ name }) => name === "weft")) return false;
				return new Promise<boolean>((resolve, reject) => {
					const request = indexedDB.open("weft");
					request.onerror = () => reject(request.error);
					request.onsuccess = () => {
						const database = request.result;
						const all = database.transaction("drafts").objectStore("drafts").getAll();
						all.onerror = () => reject(all.error);
						all.onsuccess = () => {
							database.close();
							resolve(JSON.stringify(all.result).includes(wanted));
						};
					};
				});
			}, text),
		)
		.toBe(true);
}
