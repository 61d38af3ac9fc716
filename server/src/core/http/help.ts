/**
 * The help site as the service sends it, at `/help/`: the build of docs/. The first request reads
 * all of it into memory.
 */
import { createHash } from "node:crypto";
import { extname } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { BUILT_TYPES, computeEtag, getCaching, readBuild } from "./built-files.ts";
import { hasEtag } from "./etag.ts";

/** Contents by address below `/help/`. */
export type HelpFiles = ReadonlyMap<string, Buffer>;

const TYPES: Readonly<Record<string, string>> = { ...BUILT_TYPES, ".html": "text/html; charset=utf-8" };
const TEXTS = new Set([".html", ".js", ".css"]);
/** Where the build (docs/.vitepress/config.mts) expects the site to be. */
const BUILT_FOR = "/__WEFT_HELP__/";
const MISSING = "404.html";

/** Reads a build; null where there is none. */
export async function readHelpFiles(folder: string): Promise<HelpFiles | null> {
	const files = await readBuild(folder);
	for (const path of files.keys()) if (TYPES[extname(path)] === undefined) files.delete(path);
	return files.has("index.html") ? files : null;
}

/**
 * @param readFiles reads the build, or answers null where there is none; called once
 * @param basePath where the service is published, with a slash at both ends
 */
export function mountHelp(server: FastifyInstance, readFiles: () => Promise<HelpFiles | null>, basePath: string): void {
	const place = `${basePath}help/`;
	let reading: Promise<ReadonlyMap<string, Page>> | undefined;
	const readPages = async (): Promise<ReadonlyMap<string, Page>> =>
		new Map([...((await readFiles()) ?? [])].map(([name, content]) => [name, getPage(name, content, place)]));

	const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
		const [address = ""] = request.url.split("?", 1);
		if (address === "/help") return reply.redirect(place, 308);
		reading ??= readPages();
		const pages = await reading;
		const path = address.slice("/help/".length);
		const found = pages.get(path === "" ? "index.html" : path) ?? pages.get(`${path}.html`);
		const page = found ?? (request.headers.accept?.includes("text/html") ? pages.get(MISSING) : undefined);
		if (page === undefined) {
			reply.callNotFound();
			return reply;
		}
		const status = found === undefined ? 404 : 200;
		reply.headers({ ...page.headers, "cache-control": getCaching(path) });
		if (status === 200 && hasEtag(request.headers["if-none-match"], page.headers.etag)) return reply.status(304).send();
		return reply.status(status).send(page.content);
	};
	server.get("/help", answer);
	server.get("/help/*", answer);
}

interface Page {
	readonly content: Buffer;
	readonly headers: Readonly<Record<string, string>>;
}

function getPage(name: string, built: Buffer, place: string): Page {
	const kind = extname(name);
	const content = TEXTS.has(kind) ? Buffer.from(built.toString("utf8").replaceAll(BUILT_FOR, place)) : built;
	const policy = kind === ".html" ? { "content-security-policy": getPolicy(content.toString("utf8")) } : {};
	return { content, headers: { "content-type": TYPES[kind] ?? "", etag: computeEtag(content), ...policy } };
}

/** Scripts of the site and those inside this page; the colours of code are styles of elements. */
function getPolicy(html: string): string {
	const inside = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
		([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
	);
	return (
		`default-src 'none'; script-src 'self' ${inside.join(" ")}; style-src 'self' 'unsafe-inline'; ` +
		"img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors 'none'"
	);
}
