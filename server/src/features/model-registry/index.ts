/**
 * The model registry: which versions of the class model are installed, and importing another one.
 */
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { ControllerTarget } from "../../ports/controller.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import { type ModelOrigin, ModelSourceError } from "../../ports/model-source.ts";
import { createChannel } from "./channels.ts";
import { createImporter, type ImportDeps } from "./import.ts";
import { createWorker, type WorkerDeps } from "./jobs.ts";
import type { RunRow } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { createRegistry, type RegistryDeps, type RegistrySettings } from "./service.ts";

export type { RegistrySettings } from "./service.ts";

type Given = RegistryDeps &
	Omit<ImportDeps, "getOrigin"> &
	Omit<WorkerDeps, "importer"> & {
		/** How to reach a connection's controller now, or why it cannot be reached. */
		target(connectionId: string): Promise<{ readonly target: ControllerTarget } | { readonly message: string }>;
	};

export interface ModelRegistryFeature {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createModelRegistry(deps: Given): ModelRegistryFeature {
	const importer = createImporter({
		...deps,

		getOrigin: (run) => getOrigin(run, deps.settings, deps.target),
	});
	const worker = createWorker({ ...deps, importer });
	return {
		routes: createRoutes(createRegistry(deps)),
		channels: [createChannel(deps)],
		queues: [worker.queue],
		work: worker.start,
	};
}

/** As the settings are now: an import that is taken up after they changed goes by the new ones. */
async function getOrigin(
	run: RunRow,
	{ versions, folder }: RegistrySettings,
	target: Given["target"],
): Promise<ModelOrigin> {
	if (run.source === "controller") {
		const found = await target(run.controller_connection_id ?? "");
		if ("message" in found) throw new ModelSourceError(found.message);
		return { kind: "controller", target: found.target };
	}
	const version = versions.find(({ key }) => key === run.version_key);
	if (version === undefined)
		throw new ModelSourceError(`The version ${run.version_key} is not in the settings any more.`);
	const chain = [version.key, ...version.fallbackChain];
	if (run.source === "folder") {
		if (folder === null) throw new ModelSourceError("There is no folder of documents in the settings any more.");
		return { kind: "folder", path: folder, chain };
	}
	return {
		kind: "remote",
		chain: chain.map((key) => ({ key, url: versions.find((one) => one.key === key)?.url ?? version.url })),
	};
}
