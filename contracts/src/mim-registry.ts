/** The model registry: installed versions of the class model, and imports of new ones. */
import * as z from "zod";
import { channel } from "./channel.ts";
import { errorDetail, timestamp, uuid } from "./common.ts";
import { route } from "./route.ts";

export const RUN_STATES = ["pending", "running", "completed", "cancelling", "cancelled", "failed"] as const;
export type RunState = (typeof RUN_STATES)[number];
export const RUN_PHASES = ["init", "downloading", "importing", "finalizing", "done"] as const;
export type RunPhase = (typeof RUN_PHASES)[number];
export const JOB_STATES = ["pending", "in-progress", "done", "not_found", "failed"] as const;
export type JobState = (typeof JOB_STATES)[number];
export const MODEL_SOURCES = ["remote", "folder", "controller"] as const;
export type ModelSourceName = (typeof MODEL_SOURCES)[number];
/** Failed jobs in the answer of a run. */
export const FAILED_RECENT = 25;

export const modelVersion = z.object({
	id: z.string(),
	run_id: z.string(),
	version_key: z.string(),
	label: z.string(),
	controller_version: z.string(),
	source: z.enum(MODEL_SOURCES),
	class_count: z.int(),
	property_count: z.int(),
	rel_count: z.int(),
	imported_at: timestamp,
	imported_by_username: z.string(),
	is_active: z.boolean(),
	/** False after its content was removed to make room: it can be neither activated nor compared. */
	is_available: z.boolean(),
});
export type ModelVersion = z.infer<typeof modelVersion>;

export const activeImport = z.object({
	task_id: z.string(),
	run_id: z.string(),
	controller_version: z.string(),
	source: z.enum(MODEL_SOURCES),
	phase: z.enum(RUN_PHASES),
	state: z.enum(RUN_STATES),
});

export const registryStatus = z.object({
	/** The active version's `controller_version`; null without one. */
	loaded_version: z.string().nullable(),
	active: modelVersion.nullable(),
	active_import: activeImport.nullable(),
	/** Installed versions, the newest first. */
	history: z.array(modelVersion),
});
export type RegistryStatus = z.infer<typeof registryStatus>;

export const sourceVersion = z.object({
	version_key: z.string(),
	label: z.string(),
	fallback_chain: z.array(z.string()),
	is_supported: z.boolean(),
	display_order: z.int(),
	/** About how many classes it has. */
	class_count_seed: z.int(),
	notes: z.string(),
});
export type SourceVersion = z.infer<typeof sourceVersion>;

export const importRun = z.object({
	id: z.string(),
	version_key: z.string(),
	controller_version: z.string(),
	source: z.enum(MODEL_SOURCES),
	controller_connection_id: z.string().nullable(),
	state: z.enum(RUN_STATES),
	phase: z.enum(RUN_PHASES),
	/** Classes found so far. */
	total_classes: z.int(),
	completed_count: z.int(),
	/** Those of `completed_count` whose document is of another version of the chain. */
	fallback_count: z.int(),
	not_found_count: z.int(),
	failed_count: z.int(),
	property_count: z.int(),
	concurrency: z.int(),
	created_at: timestamp,
	started_at: timestamp.nullable(),
	finished_at: timestamp.nullable(),
	/** When all classes were there and the model was built. */
	core_ready_at: timestamp.nullable(),
	error_summary: z.string(),
	cancel_requested: z.boolean(),
	started_by_username: z.string(),
	/** Classes per second since the run was last taken up; 0 when it does not run. */
	speed: z.number(),
	/** Based on the classes known so far; null if unknown. */
	eta_seconds: z.int().nullable(),
	/** The installed version it became. */
	version_id: z.string().nullable(),
	is_active: z.boolean(),
});
export type ImportRun = z.infer<typeof importRun>;

export const importJob = z.object({
	id: z.int(),
	class_pkg: z.string(),
	class_name: z.string(),
	qualified_name: z.string(),
	state: z.enum(JOB_STATES),
	source_version: z.string().nullable(),
	attempted_versions: z.array(z.string()),
	http_status_last: z.int().nullable(),
	last_error: z.string(),
	retry_count: z.int(),
	updated_at: timestamp,
});
export type ImportJob = z.infer<typeof importJob>;

const concurrency = z
	.int("Must be a whole number from 1 to 10.")
	.min(1, "Must be a whole number from 1 to 10.")
	.max(10, "Must be a whole number from 1 to 10.");
const versionKey = z
	.string({ error: "Say which version." })
	.max(32, { error: "Must be the key of a version, such as 611.", abort: true })
	.regex(/^[A-Za-z0-9._-]{1,32}$/, "Must be the key of a version, such as 611.");

export const install = z
	.object({
		/** From remote/versions/; with the source `controller` it may be left out. */
		version_key: versionKey.optional(),
		concurrency: concurrency.nullish(),
		/** `controller`: documents served by a controller, for networks without internet access. */
		source: z.enum(["remote", "controller"], { error: "Must be remote or controller." }).default("remote"),
		controller_connection_id: uuid.nullish(),
	})
	.check(({ value, issues }) => {
		const missing = (path: string, message: string) =>
			issues.push({ code: "custom", message, path: [path], input: value });
		if (value.source === "remote" && value.version_key === undefined) missing("version_key", "Say which version.");
		if (value.source === "controller" && !value.controller_connection_id)
			missing("controller_connection_id", "Say which controller.");
	});
export type Install = z.output<typeof install>;

const started = z.object({ run_id: z.string(), task_id: z.string() });
const installed = started.extend({ version_key: z.string(), total_classes: z.int(), concurrency: z.int() });
const busy = errorDetail.extend({ run_id: z.string().optional() });
const runParams = z.object({ run_id: uuid });

const common = { auth: "bearer", throttle: "user" } as const;
const read = { ...common, method: "GET", permission: "view_modelversion", audit: { none: "reads" } } as const;
const write = { ...common, method: "POST", permission: "admin" } as const;
const change = (action: string) => ({ category: "mim_registry", action }) as const;
const path = "/api/mim-registry/";
const run = `${path}remote/runs/:run_id/` as const;

export const mimRegistryRoutes = {
	status: route({
		...read,
		id: "mim_registry.status",
		path: `${path}status/`,
		summary: "The loaded model, the import that runs, and what was installed before",
		answers: { 200: registryStatus },
	}),
	versions: route({
		...read,
		id: "mim_registry.versions",
		path: `${path}remote/versions/`,
		summary: "The versions that can be imported",
		answers: { 200: z.array(sourceVersion) },
	}),
	install: route({
		...write,
		id: "mim_registry.install",
		path: `${path}remote/install/`,
		summary: "Import a version of the model; the loaded one stays in service until the new one is complete",
		audit: change("model_import_start"),
		body: install,
		answers: { 202: installed, 409: busy },
	}),
	run: route({
		...read,
		id: "mim_registry.run",
		path: run,
		summary: "How far an import is, and the classes that failed last",
		params: runParams,
		answers: { 200: z.object({ run: importRun, failed_recent: z.array(importJob) }) },
	}),
	cancel: route({
		...write,
		id: "mim_registry.cancel",
		path: `${run}cancel/`,
		summary: "Stop an import; what it has is kept for a resume, and the loaded model stays",
		audit: change("model_import_cancel"),
		params: runParams,
		answers: { 200: z.object({ cancelled: z.literal(true) }) },
	}),
	resume: route({
		...write,
		id: "mim_registry.resume",
		path: `${run}resume/`,
		summary: "Go on with a cancelled or failed import; what failed is tried again",
		audit: change("model_import_resume"),
		params: runParams,
		answers: { 202: started, 409: busy },
	}),
	activate: route({
		...write,
		id: "mim_registry.activate",
		path: `${run}activate/`,
		summary: "Go back, or forward, to the model of a completed import",
		audit: change("model_version_activate"),
		params: runParams,
		answers: { 200: modelVersion, 409: errorDetail },
	}),
} as const;

/** The progress of one import: current state first, then changes, a few per second at most. */
export const mimImportChannel = channel({
	path: "/ws/mim-import/:task_id/",
	summary: "Progress of an import, to its end",
	params: z.object({ task_id: uuid }),
	frames: {
		phase: z.object({ phase: z.enum(["download", "parse", "switch"]), message: z.string() }),
		progress: z.object({ step: z.enum(["classes", "properties"]), current: z.int(), total: z.int() }),
		import_complete: z.object({
			version: z.string(),
			classes: z.int(),
			properties: z.int(),
			duration_ms: z.int(),
		}),
		import_failed: z.object({ error: z.string() }),
	},
	final: ["import_complete", "import_failed"],
});
