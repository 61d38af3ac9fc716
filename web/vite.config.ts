/** Builds the UI into web/dist. `npx vite web` serves it with the service at 127.0.0.1:8080. */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { bundleNotices } from "../scripts/publish/notices.ts";
import { paintShellFirst, precompressAssets, preloadFonts } from "./build/after-build.ts";

const FONTS = ["@fontsource-variable/inter", "@fontsource-variable/jetbrains-mono"];
const service = { target: "http://127.0.0.1:8080", ws: true };

export default defineConfig({
	root: import.meta.dirname,
	// Addresses in the build are relative, so that it works under any base path.
	base: "./",
	plugins: [react(), tailwindcss(), preloadFonts(), paintShellFirst(), bundleNotices(FONTS), precompressAssets()],
	resolve: { conditions: ["source", ...defaultClientConditions] },
	// The worker of a grid loads the writer of workbooks on demand.
	worker: { format: "es" },
	build: {
		target: "es2022",
		manifest: true,
		// Small fonts as data: addresses would need a looser Content-Security-Policy.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
		// What the first page needs at once is one file: many small ones compress worse.
		rolldownOptions: {
			output: {
				codeSplitting: { groups: [{ name: "initial", tags: ["$initial"] }] },
				// It lists all others: their names would cost each visitor half a kilobyte. Eight
				// characters are 48 bits.
				chunkFileNames: "assets/[hash:8].js",
			},
		},
		chunkSizeWarningLimit: 1024,
	},
	server: { proxy: { "/api": service, "/ws": service } },
});
