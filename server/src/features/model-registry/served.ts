/** An import as this process can vouch for it. */
import type { ModelFeature, VersionRow } from "../model/index.ts";
import type { RunRow } from "./repo.ts";

/**
 * The import and its version. An import that is complete, but whose model this process does not
 * answer from yet, is shown as running: who reads that it is complete reads the new model next.
 */
export async function asServed(
	model: { readonly installed: Pick<ModelFeature["installed"], "ofRun" | "serves"> },
	run: RunRow,
): Promise<{ readonly run: RunRow; readonly version: VersionRow | undefined }> {
	const version = await model.installed.ofRun(run.id);
	if (run.state !== "completed" || !version?.is_active || (await model.installed.serves(version.id)))
		return { run, version };
	return { run: { ...run, state: "running", phase: "finalizing", finished_at: null }, version };
}
