/**
 * `/api/docs/` and `/api/redoc/`: pages whose every asset the service sends itself, so that they
 * work without internet.
 */
import { readFile } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { getPackageFile } from "../package-files.ts";

/** A viewer that the build copied to server/assets. */
const getAssetFile = (name: string): { file: URL } => ({ file: getPackageFile(`assets/${name}`) });

const SWAGGER_CONFIG = `window.onload = () => {
	SwaggerUIBundle({ url: "../schema/", dom_id: "#swagger-ui", deepLinking: true, presets: [SwaggerUIBundle.presets.apis] });
};
`;
const REDOC_CONFIG = `Redoc.init("../schema/", { disableSearch: false, hideDownloadButton: false }, document.getElementById("redoc"));
`;

const ASSETS: Record<string, { type: string; content: string | { file: URL } }> = {
	"swagger-ui.css": { type: "text/css; charset=utf-8", content: getAssetFile("swagger-ui.css") },
	"swagger-ui-bundle.js": { type: "text/javascript; charset=utf-8", content: getAssetFile("swagger-ui-bundle.js") },
	"swagger-init.js": { type: "text/javascript; charset=utf-8", content: SWAGGER_CONFIG },
	"redoc.standalone.js": { type: "text/javascript; charset=utf-8", content: getAssetFile("redoc.standalone.js") },
	"redoc-init.js": { type: "text/javascript; charset=utf-8", content: REDOC_CONFIG },
};

/**
 * Styles are set inline by both viewers, and Redoc searches in a worker made from a blob; scripts
 * come from here only, and Redoc's logo of its maker, which is elsewhere, does not come at all.
 */
export const DOCS_CSP =
	"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action " +
	"'self'; frame-ancestors 'none'";

export const SWAGGER_PAGE = renderPage(
	"Weft API",
	`<link rel="stylesheet" href="../docs-assets/swagger-ui.css"><div id="swagger-ui"></div>
<script src="../docs-assets/swagger-ui-bundle.js"></script><script src="../docs-assets/swagger-init.js"></script>`,
);

export const REDOC_PAGE = renderPage(
	"Weft API reference",
	`<div id="redoc"></div>
<script src="../docs-assets/redoc.standalone.js"></script><script src="../docs-assets/redoc-init.js"></script>`,
);

function renderPage(title: string, body: string): string {
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width, initial-scale=1"></head><body>${body}</body></html>`;
}

/** Serves the viewers' scripts and styles. */
export function mountDocsAssets(server: FastifyInstance): void {
	for (const [name, { type, content }] of Object.entries(ASSETS)) {
		server.get(`/api/docs-assets/${name}`, async (_request, reply) => {
			const body = typeof content === "string" ? content : await readFile(content.file);
			return reply.headers({ "content-type": type, "cache-control": "public, max-age=3600" }).send(body);
		});
	}
}
