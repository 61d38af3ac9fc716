/**
 * The web UI as the service sends it: files by name, and its page for every address that is no file
 * and not the API's. Everything is in memory: it is little, and a new build while the service runs
 * cannot mix with the old one. It is read as soon as the service listens, so that the API does not
 * wait for it.
 */
import { randomBytes } from "node:crypto";
import { extname } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { BUILT_TYPES, computeEtag, getCaching, readBuild } from "./built-files.ts";
import { hasEtag } from "./etag.ts";

interface WebFile {
	readonly type: string;
	readonly etag: string;
	/** By content coding; "" is the file as it is. */
	readonly bodies: ReadonlyMap<string, Buffer>;
}

/** The build of web/. */
export interface WebFiles {
	/** By path, such as `assets/index-abc.js`. */
	readonly files: ReadonlyMap<string, WebFile>;
	/** The page with placeholders for the base path (once) and the nonce (twice). */
	readonly page: string;
}

const TYPES: Readonly<Record<string, string>> = { ...BUILT_TYPES, ".json": "application/json; charset=utf-8" };
/** Smaller ones first. */
const CODINGS = [
	["br", ".br"],
	["gzip", ".gz"],
] as const;
const PAGE = "index.html";
const NONCE = "__CSP_NONCE__";
const BASE = '<base href="/" />';

/** Reads a build; null where there is none. */
export async function readWebFiles(folder: string): Promise<WebFiles | null> {
	const contents = await readBuild(folder);
	const page = contents.get(PAGE)?.toString("utf8");
	if (page === undefined) return null;
	const files = new Map<string, WebFile>();
	for (const [path, content] of contents) {
		const type = TYPES[extname(path)];
		if (type === undefined || path.startsWith(".vite/")) continue;
		const bodies = new Map([["", content]]);
		for (const [coding, suffix] of CODINGS) {
			const packed = contents.get(path + suffix);
			if (packed) bodies.set(coding, packed);
		}
		files.set(path, { type, etag: computeEtag(content), bodies });
	}
	return { files, page };
}

/**
 * Scripts come from here only; styles that code makes carry the page's nonce; images may be drawn
 * by the page itself.
 */
const getPolicy = (nonce: string): string =>
	`default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
	"font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'self'; form-action 'self'; " +
	"frame-ancestors 'none'";

/**
 * A worker heeds the policy of its own script's answer, not the page's: the grid's fetches rows.
 */
const SCRIPT_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'";

const PAGE_HEADERS = {
	"content-type": "text/html; charset=utf-8",
	"cache-control": "no-cache",
	"referrer-policy": "same-origin",
	"permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
	"cross-origin-opener-policy": "same-origin",
};

const UNBUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Weft</title><h1>Weft</h1><p>This installation has no web interface: <code>npm run build</code> makes it, and the service finds it at its next start.</p><p>The API is there: <a href="./api/docs/">its documentation</a>.</p></html>`;

/**
 * @param readFiles reads the build, or answers null where there is none; called once
 * @param basePath where the service is published, with a slash at both ends
 */
export function mountWeb(server: FastifyInstance, readFiles: () => Promise<WebFiles | null>, basePath: string): void {
	let reading: Promise<WebFiles | null> | undefined;
	const readWeb = async (): Promise<WebFiles | null> => {
		const web = await readFiles();
		return web && { ...web, page: web.page.replace(BASE, `<base href="${basePath}" />`) };
	};
	const getWeb = (): Promise<WebFiles | null> => {
		reading ??= readWeb();
		return reading;
	};
	// Each request answers with the failure.
	server.addHook("onListen", async () => void getWeb().catch(() => undefined));

	server.get("/*", async (request, reply) => {
		const address = request.url.split("?", 1)[0] ?? "/";
		if (/^\/(api|ws)(\/|$)/.test(address)) {
			reply.callNotFound();
			return reply;
		}
		const web = await getWeb();
		const path = address.slice(1);
		const file = path === PAGE ? undefined : web?.files.get(path);
		if (file) return sendFile(request, reply, file, getCaching(path));
		// A missing file must not answer with a page, nor must a program's request for something that
		// is not there.
		if (path.startsWith("assets/") || !(path === "" || request.headers.accept?.includes("text/html"))) {
			reply.callNotFound();
			return reply;
		}
		const nonce = randomBytes(16).toString("base64");
		reply.headers({ ...PAGE_HEADERS, "content-security-policy": getPolicy(nonce) });
		if (web === null) return reply.status(404).send(UNBUILT);
		return reply.send(web.page.replaceAll(NONCE, nonce));
	});
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: WebFile, caching: string): FastifyReply {
	const accepted = String(request.headers["accept-encoding"] ?? "");
	const coding =
		CODINGS.map(([name]) => name).find((name) => file.bodies.has(name) && isCodingAccepted(accepted, name)) ?? "";
	reply.headers({
		"content-type": file.type,
		"cache-control": caching,
		etag: file.etag,
		vary: "accept-encoding",
		...(coding === "" ? {} : { "content-encoding": coding }),
		...(file.type === TYPES[".js"] ? { "content-security-policy": SCRIPT_POLICY } : {}),
	});
	if (hasEtag(request.headers["if-none-match"], file.etag)) return reply.status(304).send();
	return reply.send(file.bodies.get(coding));
}

/** RFC 9110, section 12.5.3: a coding with q=0 is refused. */
function isCodingAccepted(header: string, coding: string): boolean {
	return header.split(",").some((part) => {
		const [name = "", ...parameters] = part
			.trim()
			.toLowerCase()
			.split(";")
			.map((part) => part.trim());
		return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
	});
}
