/** The last steps of a build: fonts of the first page are preloaded, and every text file has a compressed twin beside it. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const FONTS = /(inter-latin-wght|jetbrains-mono-latin-wght)-normal-[\w-]+\.woff2$/;
const TEXT = /\.(js|css|svg|json)$/;
/** Below this the answer's headers weigh more than what is saved. */
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

/** `x.js.br` and `x.js.gz` beside `x.js`; the page itself is written anew for each answer and compressed never. */
export function precompress(): Plugin {
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
