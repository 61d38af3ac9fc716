/** Deletes what the service keeps in a data folder. */
import { rm } from "node:fs/promises";
import { hasCluster, startEmbeddedPostgres } from "./storage/embedded-postgres/index.ts";

/**
 * Ends the embedded store that a killed process left running in the folder, and deletes the folder.
 * Throws a sentence if another process uses it.
 */
export async function eraseDataFolder(dataDir: string): Promise<void> {
	if (await hasCluster(dataDir)) {
		const store = await startEmbeddedPostgres({ dataDir, log: () => {} });
		await store.stop();
	}
	await rm(dataDir, { recursive: true, force: true });
}
