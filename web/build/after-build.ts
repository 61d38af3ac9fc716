/** Final build steps: the order of the first page's parts, and compression of every text file. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const FONTS = /(inter-latin-wght|jetbrains-mono-latin-wght)-normal-[\w-]+\.woff2$/;
const TEXT = /\.(js|css|svg|json)$/;
/** Bytes below which compression saves less than its headers cost. */
const WORTHWHILE = 1024;

export function preloadFonts(): Plugin {
	return {
		name: "weft-preload-fonts",
		transformIndexHtml: {
			order: "post",
			handler: (_html, { bundle }) =>
				Object.keys(bundle ?? {})
					.filter((name) => FONTS.test(name))
					.map((name) => ({
						tag: "link",
						attrs: { rel: "preload", as: "font", type: "font/woff2", crossorigin: "", href: `./${name}` },
						injectTo: "head" as const,
					})),
		},
	};
}

/**
 * Moves the stylesheet behind the shell that the page begins with: in the head it would keep the
 * browser from painting the shell until it has arrived.
 */
export function paintShellFirst(): Plugin {
	return {
		name: "weft-paint-shell-first",
		apply: "build",
		transformIndexHtml: {
			order: "post",
			handler: (html) => {
				const links = html.match(/<link rel="stylesheet"[^>]*>\s*/g) ?? [];
				return links
					.reduce((text, link) => text.replace(link, ""), html)
					.replace("<noscript>", `${links.join("")}<noscript>`);
			},
		},
	};
}

/** Writes `x.js.br` and `x.js.gz` beside `x.js`. The page itself is rendered per answer. */
export function precompressAssets(): Plugin {
	let folder = "";
	return {
		name: "weft-precompress",
		apply: "build",
		configResolved(config) {
			folder = join(config.root, config.build.outDir);
		},
		async closeBundle() {
			const entries = await readdir(folder, { recursive: true, withFileTypes: true });
			for (const entry of entries) {
				if (!entry.isFile() || !TEXT.test(entry.name)) continue;
				const path = join(entry.parentPath, entry.name);
				const content = await readFile(path);
				if (content.length < WORTHWHILE) continue;
				const quality = {
					params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
				};
				await writeFile(`${path}.br`, await promisify(brotliCompress)(content, quality));
				await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
			}
		},
	};
}
