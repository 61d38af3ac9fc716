/** The help site as the service sends it: pages, files, headers, a base path, and no build. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readHelpFiles } from "../../src/core/http/help.ts";
import { type BuiltSite, sendSiteRequest as get, BROWSER as html, startWithSite } from "../support/built-site.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";

const INSIDE = "document.documentElement.classList.add('x')";
const PAGE = [
	'<html><script type="module" src="/__WEFT_HELP__/assets/app.js"></script>',
	`<script id="a">${INSIDE}</script><a href="/__WEFT_HELP__/checks">Checks</a></html>`,
].join("");
let site: BuiltSite;
let t: TestApp;
let under: TestApp;
let without: TestApp;

beforeAll(async () => {
	site = await startWithSite(
		{
			"index.html": PAGE,
			"checks.html": "<html>about checks</html>",
			"adr/0001-one.html": "<html>a decision</html>",
			"404.html": "<html>not here</html>",
			"assets/app.js": 'import("/__WEFT_HELP__/assets/other.js")',
			"hashmap.json": "{}",
		},
		(folder) => ({ readHelp: () => readHelpFiles(folder) }),
		"/tools/weft/",
	);
	({ app: t, under, without } = site);
});
afterAll(() => site?.close());

describe("the help site", () => {
	it("has its first page at /help/, and leads there", async () => {
		const first = await get(t, "/help/");
		expect(first.statusCode).toBe(200);
		expect(first.headers["content-type"]).toBe("text/html; charset=utf-8");
		expect(first.body).toContain('href="/help/checks"');
		const without = await get(t, "/help");
		expect([without.statusCode, without.headers.location]).toEqual([308, "/help/"]);
	});

	it.each([
		["/help/checks", "about checks"],
		["/help/checks.html", "about checks"],
		["/help/checks?theme=dark", "about checks"],
		["/help/adr/0001-one", "a decision"],
	])("has %s", async (url, text) => {
		const { statusCode, body } = await get(t, url, html);
		expect([statusCode, body]).toEqual([200, `<html>${text}</html>`]);
	});

	it("allows its own scripts and those inside the page, and no others", async () => {
		const policy = String((await get(t, "/help/")).headers["content-security-policy"]);
		const hash = createHash("sha256").update(INSIDE).digest("base64");
		expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
		expect(policy).toContain("default-src 'none'");
		expect(policy).toContain("frame-ancestors 'none'");
	});

	it("is found under the service's base path", async () => {
		expect((await get(under, "/help/")).body).toContain('src="/tools/weft/help/assets/app.js"');
		expect((await get(under, "/help/assets/app.js")).body).toContain("/tools/weft/help/assets/other.js");
		expect((await get(under, "/help")).headers.location).toBe("/tools/weft/help/");
		expect((await get(under, "/tools/weft/help/checks")).body).toBe("<html>about checks</html>");
	});

	it("says what is not there: with a page to a browser, shortly to a program", async () => {
		const page = await get(t, "/help/nothing", html);
		expect([page.statusCode, page.body]).toEqual([404, "<html>not here</html>"]);
		const file = await get(t, "/help/assets/gone.js");
		expect(file.statusCode).toBe(404);
		expect(file.headers["content-type"]).toContain("application/json");
		expect((await get(t, "/help/hashmap.json")).statusCode).toBe(404);
		expect((await get(t, "/help/..%2f..%2fpackage.json")).statusCode).toBe(404);
		expect((await get(without, "/help/", html)).statusCode).toBe(404);
	});

	it("reads the help site at the first request for it, and only once", async () => {
		let reads = 0;
		const readHelp = async () => {
			reads++;
			return null;
		};
		const own = await startTestApp({ deps: { readHelp } });
		onTestFinished(() => own.close());
		await get(own, "/api/health/");
		expect(reads).toBe(0);
		await get(own, "/help/");
		await get(own, "/help/checks");
		expect(reads).toBe(1);
	});

	it("lets browsers store files with hashed names, and asks again for pages", async () => {
		const file = await get(t, "/help/assets/app.js");
		expect(file.headers["cache-control"]).toContain("immutable");
		const page = await get(t, "/help/checks");
		expect(page.headers["cache-control"]).toBe("no-cache");
		const again = await get(t, "/help/checks", { "if-none-match": String(page.headers.etag) });
		expect([again.statusCode, again.body]).toEqual([304, ""]);
	});
});
