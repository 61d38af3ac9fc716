import { defineConfig } from "vitest/config";
import { keepTemporaryFilesInMemory } from "./server/test/support/memory-folder.ts";

keepTemporaryFilesInMemory();

export const source = { resolve: { conditions: ["source"] }, ssr: { resolve: { conditions: ["source"] } } };
export const shared = {
	setupFiles: ["server/test/support/setup.ts"],
	testTimeout: 120_000,
	hookTimeout: 120_000,
	// A machine of others may hold a process for seconds. A second try is said aloud, never hidden.
	retry: process.env.CI ? 1 : 0,
};

/** Sources are tested as they are; worker threads, child processes and browsers run the build, which `npm test` refreshes first. */
export default defineConfig({
	test: {
		maxWorkers: 2,
		projects: [
			{
				...source,
				test: {
					...shared,
					name: "service",
					// Nothing is kept in modules, and loading them anew for each file would be a third of the time.
					isolate: false,
					include: ["{contracts,sdk,server,lab}/src/**/*.test.ts", "{server,lab,sdk,cli}/test/**/*.test.ts"],
					exclude: ["**/node_modules/**", "server/test/{cluster,faults}/**"],
					globalSetup: ["server/test/support/global-setup.ts"],
				},
			},
			{ ...source, test: { ...shared, name: "web", include: ["web/src/**/*.test.ts"] } },
			{
				...source,
				test: {
					...shared,
					name: "browser",
					include: ["web/e2e/**/*.test.ts"],
					// Drawing pictures is no test: only where it is asked for.
					exclude: process.env.WEFT_PICTURES ? [] : ["web/e2e/pictures.test.ts"],
					globalSetup: ["web/e2e/global-setup.ts"],
					// A browser on a busy machine takes its time; what is waited for are conditions.
					testTimeout: 240_000,
					hookTimeout: 240_000,
					expect: { poll: { timeout: 60_000, interval: 50 } },
					fileParallelism: false,
					sequence: { groupOrder: 1 },
				},
			},
		],
	},
});
