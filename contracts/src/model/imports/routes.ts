/** Routes of the model's versions and imports. */
import * as z from "zod";
import { errorDetail, uuid } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { mimRegistryPaths } from "./paths.ts";
import { importJob, importRun, install, modelVersion, registryStatus, sourceVersion } from "./shapes.ts";

const started = z.object({ run_id: z.string(), task_id: z.string() });
const installed = started.extend({ version_key: z.string(), total_classes: z.int(), concurrency: z.int() });
const busy = errorDetail.extend({ run_id: z.string().optional() });
const runParams = z.object({ run_id: uuid });

const common = { throttle: "user" } as const;
const read = { ...common, permission: "view_modelversion", audit: { none: "reads" } } as const;
const write = { ...common, permission: "admin" } as const;
const defineAudit = (action: string) => ({ category: "mim_registry", action }) as const;

export const mimRegistryRoutes = {
	status: defineRoute({
		...mimRegistryPaths.status,
		...read,
		summary: "The loaded model, the import that runs, and what was installed before",
		answers: { 200: registryStatus },
	}),
	versions: defineRoute({
		...mimRegistryPaths.versions,
		...read,
		summary: "The versions that can be imported",
		answers: { 200: z.array(sourceVersion) },
	}),
	install: defineRoute({
		...mimRegistryPaths.install,
		...write,
		summary: "Import a version of the model; the loaded one stays in service until the new one is complete",
		audit: defineAudit("model_import_start"),
		body: install,
		answers: { 202: installed, 409: busy },
	}),
	run: defineRoute({
		...mimRegistryPaths.run,
		...read,
		summary: "How far an import is, and the classes that failed last",
		params: runParams,
		answers: { 200: z.object({ run: importRun, failed_recent: z.array(importJob) }) },
	}),
	cancel: defineRoute({
		...mimRegistryPaths.cancel,
		...write,
		summary: "Stop an import; what it has is kept for a resume, and the loaded model stays",
		audit: defineAudit("model_import_cancel"),
		params: runParams,
		answers: { 200: z.object({ cancelled: z.literal(true) }) },
	}),
	resume: defineRoute({
		...mimRegistryPaths.resume,
		...write,
		summary: "Go on with a cancelled or failed import; what failed is tried again",
		audit: defineAudit("model_import_resume"),
		params: runParams,
		answers: { 202: started, 409: busy },
	}),
	activate: defineRoute({
		...mimRegistryPaths.activate,
		...write,
		summary: "Go back, or forward, to the model of a completed import",
		audit: defineAudit("model_version_activate"),
		params: runParams,
		answers: { 200: modelVersion, 409: errorDetail },
	}),
} as const;
