/** Adds the type declarations of the client and the contracts to the client's bundle. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Plugin } from "vite";

/**
 * Copies what tsc has written. In the copy, `@weft/contracts` is a folder of the package.
 * @param dist folder of the client's declarations, from the root of the build
 * @param contracts folder of the contracts' declarations, from the root of the build
 */
export function bundleTypes({ dist, contracts }: { dist: string; contracts: string }): Plugin {
	let root = "";
	let out = "";
	return {
		name: "weft-bundle-types",
		configResolved(config) {
			root = config.root;
			out = join(config.root, config.build.outDir);
		},
		closeBundle() {
			const filter = (path: string): boolean => !/\.js(\.map)?$|\.test\.d\.ts$/.test(path);
			cpSync(join(root, dist), out, { recursive: true, filter });
			cpSync(join(root, contracts), join(out, "contracts"), { recursive: true, filter });
			for (const path of readdirSync(out, { recursive: true, encoding: "utf8" })) {
				if (!path.endsWith(".d.ts")) continue;
				const file = join(out, path);
				const toRoot = relative(join(file, ".."), out).split(sep).join("/") || ".";
				writeFileSync(file, rewriteSpecifiers(readFileSync(file, "utf8"), toRoot));
			}
		},
	};
}

/** The declarations with the specifiers that a consumer resolves. */
function rewriteSpecifiers(text: string, toRoot: string): string {
	return text
		.replace(/(["'])@weft\/contracts\1/g, `"${toRoot}/contracts/index.js"`)
		.replace(/(["'])@weft\/contracts\/browser\1/g, `"${toRoot}/contracts/browser.js"`)
		.replace(/(\bfrom\s+|\bimport\()(["'])(\.{1,2}\/[^"']+)\.ts\2/g, '$1"$3.js"');
}
