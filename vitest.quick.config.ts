import { defineConfig } from "vitest/config";
import { shared } from "./vitest.config.ts";

/** Pure code and the architecture: needs no store, no build and no network, and stays quick. */
export default defineConfig({
	resolve: { conditions: ["source"] },
	ssr: { resolve: { conditions: ["source"] } },
	test: {
		include: [
			"contracts/src/**/*.test.ts",
			"server/src/areas/*/rules/**/*.test.ts",
			"server/src/*.test.ts",
			"server/test/project/any-text.test.ts",
			"server/test/project/architecture.test.ts",
			"server/test/project/commands.test.ts",
			"server/test/project/contracts.test.ts",
			"server/test/project/deploy.test.ts",
			"server/test/project/documents.test.ts",
			"server/test/project/file-lengths.test.ts",
			"server/test/project/full-tests.test.ts",
			"server/test/project/function-members.test.ts",
			"server/test/project/migrations.test.ts",
			"server/test/project/names.test.ts",
			"server/test/project/openapi.test.ts",
			"server/test/project/prose.test.ts",
			"server/test/project/ui-texts.test.ts",
		],
		setupFiles: ["server/test/support/setup.ts"],
		testTimeout: shared.testTimeout,
		maxWorkers: 2,
	},
});
