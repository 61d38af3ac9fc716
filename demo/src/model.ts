/** The class model, imported from the simulated publishing site. */
import { mimRegistryRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import { waitForAnswer } from "./wait.ts";

/** The publishing site has this version with about 2,000 classes. */
const VERSION = "521";

/** Starts the import. Returns its id. */
export async function startImport(admin: WeftClient): Promise<string> {
	const { run_id } = await admin.call(mimRegistryRoutes.install, { body: { version_key: VERSION, concurrency: 10 } });
	return run_id;
}

/** Waits for the end of an import. */
export async function finishImport(client: () => Promise<WeftClient>, run_id: string): Promise<void> {
	await waitForAnswer("the class model is imported", async () => {
		const { run } = await (await client()).call(mimRegistryRoutes.run, { params: { run_id } });
		if (run.state === "failed") throw new Error(`The class model could not be imported: ${run.error_summary}`);
		return run.state === "completed" ? true : null;
	});
}
