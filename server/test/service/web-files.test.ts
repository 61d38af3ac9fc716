/**
 * The web UI as the service sends it: which address answers what, with which headers, under a base
 * path, and without a build.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWebFiles } from "../../src/core/http/web-files.ts";
import { type BuiltSite, BROWSER as html, sendSiteRequest as raw, startWithSite } from "../support/built-site.ts";
import type { TestApp } from "../support/harness.ts";

const META = '<meta name="csp-nonce" content="__CSP_NONCE__" /><style nonce="__CSP_NONCE__">a{}</style>';
const PAGE = `<html><head><base href="/" />${META}</head></html>`;
const SCRIPT = "console.log('weft');".repeat(100);
let folder: string;
let site: BuiltSite;
let t: TestApp;
let under: TestApp;
let without: TestApp;

beforeAll(async () => {
	site = await startWithSite(
		{
			"index.html": PAGE,
			"theme.js": "1;",
			".vite/manifest.json": "{}",
			"assets/index-abc.js": SCRIPT,
			"assets/index-abc.js.br": brotliCompressSync(SCRIPT),
			"assets/index-abc.js.gz": gzipSync(SCRIPT),
		},
		(place) => {
			folder = place;
			return { readWeb: () => readWebFiles(place) };
		},
		"/tools/weft/",
	);
	({ app: t, under, without } = site);
});
afterAll(() => site?.close());

describe("the page", () => {
	it("has a shell that needs no script, before the script and the stylesheet", async () => {
		const source = await readFile(new URL("../../../web/index.html", import.meta.url), "utf8");
		const shell = /<div id="root">([\s\S]*?)<noscript>/.exec(source)?.[1] ?? "";
		expect(shell).toContain("Loading Weft …");
		expect(source.indexOf("Loading Weft …")).toBeLessThan(source.indexOf('type="module"'));
		expect(source).toContain('<style nonce="__CSP_NONCE__">');
	});

	it("answers for every address that is no file and not the API's, with a nonce of its own each time", async () => {
		const nonces = new Set<string>();
		for (const url of ["/", "/login", "/builder/0b6f", "/time-machine/compare?from=a&to=b"]) {
			const { statusCode, headers, body } = await raw(t, url, html);
			expect(statusCode).toBe(200);
			expect(headers["content-type"]).toBe("text/html; charset=utf-8");
			expect(headers["cache-control"]).toBe("no-cache");
			const nonce = /csp-nonce" content="([^"]{22,})"/.exec(body)?.[1] ?? "";
			nonces.add(nonce);
			expect(body).toContain(`<style nonce="${nonce}">`);
			const policy = String(headers["content-security-policy"]);
			expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
			expect(policy).toContain("script-src 'self';");
			expect(policy).toContain("frame-ancestors 'none'");
			expect(policy).not.toContain("unsafe");
			expect(headers).toMatchObject({
				"x-content-type-options": "nosniff",
				"referrer-policy": "same-origin",
				"cross-origin-opener-policy": "same-origin",
			});
			expect(headers["permissions-policy"]).toContain("camera=()");
		}
		expect(nonces.size).toBe(4);
		expect((await raw(t, "/", html, "HEAD")).statusCode).toBe(200);
		expect((await raw(t, "/")).statusCode).toBe(200);
	});

	it("never stands in for the API, a socket, a file that is not there, or what a program asked for", async () => {
		for (const url of ["/api/nothing/", "/api", "/ws/nothing/", "/ws", "/assets/index-old.js", "/assets/"]) {
			const { statusCode, headers } = await raw(t, url, html);
			expect([url, statusCode, headers["content-type"]]).toEqual([url, 404, "application/json; charset=utf-8"]);
		}
		expect((await raw(t, "/nothing", { accept: "application/json" })).statusCode).toBe(404);
		expect((await raw(t, "/nothing")).statusCode).toBe(404);
		expect((await raw(t, "/login", html, "POST")).statusCode).toBe(404);
		expect((await raw(t, "/api/auth/profile/")).statusCode).toBe(401);
	});

	it("is not reached around the list of files", async () => {
		for (const url of [
			"/.vite/manifest.json",
			"/assets/index-abc.js.br",
			"/assets/../../package.json",
			"/%2e%2e/package.json",
		]) {
			expect((await raw(t, url)).statusCode).toBe(404);
		}
	});
});

describe("files", () => {
	it("come in the smallest form that the browser takes, and hashed ones for good", async () => {
		const url = "/assets/index-abc.js";
		const plain = await raw(t, url);
		expect(plain.body).toBe(SCRIPT);
		expect(plain.headers).toMatchObject({
			"content-type": "text/javascript; charset=utf-8",
			"cache-control": "public, max-age=31536000, immutable",
			vary: "accept-encoding",
			// What a worker of the script may do: fetch from here.
			"content-security-policy": expect.stringContaining("connect-src 'self'"),
		});
		const brotli = await raw(t, url, { "accept-encoding": "gzip, deflate, br" });
		expect(brotli.headers["content-encoding"]).toBe("br");
		expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT);
		const gzip = await raw(t, url, { "accept-encoding": "gzip;q=0.5, br;q=0" });
		expect(gzip.headers["content-encoding"]).toBe("gzip");
		expect(gunzipSync(gzip.rawPayload).toString()).toBe(SCRIPT);
		expect((await raw(t, url, { "accept-encoding": "identity" })).headers["content-encoding"]).toBeUndefined();
	});

	it("without a hash are asked for again, and answered with 304 while they are the same", async () => {
		const { headers } = await raw(t, "/theme.js");
		expect(headers["cache-control"]).toBe("no-cache");
		const again = await raw(t, "/theme.js", { "if-none-match": String(headers.etag) });
		expect([again.statusCode, again.body]).toEqual([304, ""]);
	});
});

describe("under a base path", () => {
	it("page, files and API answer with it and without it, and links carry it", async () => {
		for (const prefix of ["/tools/weft", ""]) {
			const page = await raw(under, `${prefix}/login`, html);
			expect(page.body).toContain('<base href="/tools/weft/" />');
			expect((await raw(under, `${prefix}/assets/index-abc.js`)).statusCode).toBe(200);
			expect((await raw(under, `${prefix}/api/health/`)).statusCode).toBe(200);
		}
		for (const name of ["a one", "a two"]) {
			await under.admin.api.post("/api/queries/categories/", { name });
		}
		const { body } = await under.admin.api.get("/api/queries/categories/?page_size=1");
		expect(new URL(body.next).pathname).toBe("/tools/weft/api/queries/categories/");
	});

	it("sockets open there too", async () => {
		const socket = await under.admin.api.open(
			`/tools/weft/ws/chain-execution/${"0".repeat(8)}-0000-4000-8000-000000000000/`,
		);
		expect((await socket.closed).code).toBe(4004);
	});
});

describe("without a build", () => {
	it("the page says how to make one, and the API is all there", async () => {
		expect(await readWebFiles(join(folder, "nowhere"))).toBeNull();
		const { statusCode, body } = await raw(without, "/", html);
		expect(statusCode).toBe(404);
		expect(body).toContain("npm run build");
		expect((await raw(without, "/anything")).statusCode).toBe(404);
		expect((await raw(without, "/api/health/")).statusCode).toBe(200);
	});
});
