/** The model registry: installed versions of the class model, and imports of new ones. */
import * as z from "zod";
import { timestamp, uuid } from "../../core/common.ts";
import { JOB_STATES, MODEL_SOURCES, RUN_PHASES, RUN_STATES } from "./values.ts";

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
