/** A small class model, imported from the simulated publishing site. */
import { type RunningModelSource, startModelSource } from "@weft/lab";
import { systemClock } from "../../../server/src/core/system/clock.ts";
import { createModelSource } from "../../../server/src/integrations/class-documents/index.ts";
import { type TestApp, waitUntil } from "../../../server/test/support/harness.ts";

const CLASSES = 60;

/** Starts the site, and gives a service the settings with which it can import its model. */
export async function startSite() {
	const site: RunningModelSource = await startModelSource({ classes: CLASSES, dnFormats: 100 });
	const version = { url: site.url, classCount: CLASSES, notes: "", key: "611", label: "6.1(1)", fallbackChain: [] };
	const deps = {
		modelSource: createModelSource({ pacing: { ...systemClock, random: () => 0 }, waitMs: 1, retries: 2 }),
		modelSettings: { versions: [version], folder: null, concurrency: 4 },
	};
	return { site, deps };
}

export async function importModel({ admin }: TestApp): Promise<void> {
	const registry = "/api/mim-registry/";
	const { body } = await admin.api.post(`${registry}remote/install/`, { version_key: "611" });
	await waitUntil("the model is loaded", async () => {
		const { body: answer } = await admin.api.get(`${registry}remote/runs/${body.run_id}/`);
		return answer.run.state === "completed";
	});
}
