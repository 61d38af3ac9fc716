import { defineConfig } from "vitest/config";
import { shared, source } from "./vitest.config.ts";

/** Several processes at once: as one service behind nginx (needs PostgreSQL and Redis), and dying at random moments. */
export default defineConfig({
	...source,
	test: {
		...shared,
		include: ["server/test/{cluster,faults}/**/*.test.ts"],
		globalSetup: ["server/test/support/global-setup.ts"],
		testTimeout: 120_000,
		maxWorkers: 1,
	},
});
