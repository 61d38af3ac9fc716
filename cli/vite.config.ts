/** Builds the published command line into cli/bundle: one file that needs nothing but Node. */
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { defineConfig } from "vite";
import { bundleLicence, bundleNotices } from "../scripts/publish/notices.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
/** Optional dependencies of ws, which it does without. */
const ACCELERATORS = ["bufferutil", "utf-8-validate"];

export default defineConfig({
	root: import.meta.dirname,
	publicDir: false,
	plugins: [bundleLicence(), bundleNotices()],
	define: { __WEFT_VERSION__: JSON.stringify(version) },
	ssr: { noExternal: true, external: ACCELERATORS, resolve: { conditions: ["source", "node"] } },
	build: {
		target: "node20",
		outDir: "bundle",
		ssr: "src/main.ts",
		minify: true,
		reportCompressedSize: false,
		rolldownOptions: {
			external: [...builtinModules, /^node:/, ...ACCELERATORS],
			output: { entryFileNames: "weft.js", chunkFileNames: "[name].js", banner: "#!/usr/bin/env node" },
		},
	},
});
