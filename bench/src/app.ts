/** The service in the process of a benchmark that fills tables itself, on an embedded store. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { buildApp } from "../../server/dist/app.js";
import { readConfig } from "../../server/dist/config.js";
import { openDependencies } from "../../server/dist/open.js";

/** Opens the service in a new folder, without throttles. It works on no tasks by itself. */
export async function openApp(logLevel: "warn" | "error" = "warn") {
	const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
	const opened = await openDependencies(
		readConfig({ WEFT_DATA_DIR: dataDir, WEFT_THROTTLE: "off", WEFT_LOG_LEVEL: logLevel, WEFT_ROLES: "web" }),
	);
	const app = await buildApp(opened.deps);
	await app.declareQueues();
	const { pool } = opened.deps.store as unknown as { pool: pg.Pool };
	return {
		app,
		pool,
		dataDir,
		/** Stops it and removes the folder. */
		async close(): Promise<void> {
			await app.close();
			await opened.close(0);
			await rm(dataDir, { recursive: true, force: true });
		},
	};
}
