/** Builds the published package into sdk/bundle: the client with the contracts and their types. */
import { defineConfig } from "vite";
import { bundleLicence } from "../scripts/publish/notices.ts";
import { bundleTypes } from "../scripts/publish/types.ts";

export default defineConfig({
	root: import.meta.dirname,
	publicDir: false,
	plugins: [bundleLicence(), bundleTypes({ dist: "dist", contracts: "../contracts/dist" })],
	resolve: { conditions: ["source"] },
	build: {
		target: "es2023",
		outDir: "bundle",
		minify: false,
		reportCompressedSize: false,
		lib: { entry: { index: "src/index.ts", contracts: "src/contracts.ts" }, formats: ["es"] },
		rolldownOptions: { external: ["zod"], output: { entryFileNames: "[name].js", chunkFileNames: "[name].js" } },
	},
});
