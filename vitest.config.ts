import { basename } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { keepTemporaryFilesInMemory } from "./server/test/support/memory-folder.ts";

keepTemporaryFilesInMemory();

export const source = { resolve: { conditions: ["source"] }, ssr: { resolve: { conditions: ["source"] } } };
export const shared = {
	setupFiles: ["server/test/support/setup.ts"],
	// Services of tests make much that is soon garbage. With little room for it, a tenth of the time
	// goes to collecting it.
	execArgv: ["--max-semi-space-size=64"],
	testTimeout: 120_000,
	hookTimeout: 120_000,
	// A machine of others may hold a process for seconds. A second try is said aloud, never hidden.
	retry: process.env.CI ? 1 : 0,
};

/** A browser on a busy machine is slow. The tests wait for conditions. */
const browserTimes = {
	testTimeout: 240_000,
	hookTimeout: 240_000,
	expect: { poll: { timeout: 60_000, interval: 50 } },
};

/** Files that take more than half a minute. */
const LONG = new Set(
	[
		...["pages", "drafts", "people", "hostile", "injection", "fuzz", "planted-secrets", "mass-assignment", "ends"],
		...["silence", "states", "series", "plans", "job-windows", "change"],
	].map((name) => `${name}.test.ts`),
);

/** Begins with the long files, so that no worker waits for one at the end. */
class LongFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const isLong = ({ moduleId }: TestSpecification) => LONG.has(basename(moduleId));
		return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
	}
}

/** Sources are tested as they are; worker threads, child processes and browsers run the build, which `npm test` refreshes first. */
export default defineConfig({
	test: {
		// One more than cores: tests wait for the store and for programs that they start.
		maxWorkers: 3,
		sequence: { sequencer: LongFirst },
		projects: [
			{
				...source,
				test: {
					...shared,
					...browserTimes,
					// The main job of a new user, on an empty service. It runs before all else.
					name: "walk",
					include: ["web/e2e/walk.test.ts"],
					globalSetup: ["web/e2e/walk-setup.ts"],
					sequence: { groupOrder: 0 },
				},
			},
			{
				...source,
				// The bundler of the command line writes its version there.
				define: { __WEFT_VERSION__: JSON.stringify("0.0.0-test") },
				test: {
					...shared,
					name: "service",
					// Nothing is kept in modules, and loading them anew for each file would be a third of the time.
					isolate: false,
					include: ["{contracts,sdk,server,lab}/src/**/*.test.ts", "{server,lab,sdk,cli}/test/**/*.test.ts"],
					exclude: ["**/node_modules/**", "server/test/{cluster,faults,full}/**"],
					globalSetup: ["server/test/support/global-setup.ts"],
					sequence: { groupOrder: 1 },
				},
			},
			{
				...source,
				test: {
					...shared,
					name: "web",
					include: ["web/src/**/*.test.ts", "web/e2e/{find-browser,picture-files}.test.ts"],
					sequence: { groupOrder: 1 },
				},
			},
			{
				...source,
				test: {
					...shared,
					name: "browser",
					include: ["web/e2e/*.test.ts", "web/e2e/made/*.test.ts"],
					exclude: ["web/e2e/{walk,find-browser,picture-files}.test.ts"],
					globalSetup: ["web/e2e/global-setup.ts"],
					...browserTimes,
					// Chromium, service and store of one file keep a core busy for nine tenths of the time.
					maxWorkers: 2,
					sequence: { groupOrder: 2 },
				},
			},
			// The projects of `npm run test:full`; scripts/full-tests.mjs selects among their files.
			{
				...source,
				test: {
					...shared,
					name: "full",
					include: ["server/test/full/**/*.test.ts"],
					maxWorkers: 2,
					globalSetup: ["server/test/support/global-setup.ts"],
					sequence: { groupOrder: 3 },
				},
			},
			{
				...source,
				test: {
					...shared,
					...browserTimes,
					name: "full-browser",
					include: ["web/e2e/full/**/*.test.ts"],
					globalSetup: ["web/e2e/global-setup.ts"],
					fileParallelism: false,
					sequence: { groupOrder: 4 },
				},
			},
		],
	},
});
