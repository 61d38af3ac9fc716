/**
 * The registry's use cases: list installed and available versions; start, stop, resume and choose.
 */
import {
	FAILED_RECENT,
	type Install,
	type ModelVersion,
	type RegistryStatus,
	type SourceVersion as SourceVersionShape,
} from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildConflictError, buildFieldError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { requireTarget } from "../../fabrics/manage-connections.ts";
import { presentVersion } from "../present.ts";
import { makeVersionActive } from "../publish-version.ts";
import { findVersionByRun, listModelVersions } from "../sql/versions.ts";
import { presentJob, presentRun } from "./present.ts";
import { presentServed } from "./served.ts";
import {
	findActiveImport,
	findImportRun,
	insertImportRun,
	isActive,
	listFailedFetches,
	lockImportRun,
	type RunRow,
	revertClassFetches,
	updateImportRun,
} from "./sql/imports.ts";
import { IMPORT_QUEUE, importTopic, STOP } from "./topics.ts";

const HISTORY = 50;
/** The key of what a controller publishes itself. */
const OWN = "controller";
const ONE = "model_import_runs_one";

const buildImportTarget = ({ id }: { id: string }) => ({ targetType: "model_import_run", targetId: id });

async function refuseAnother(ctx: Context): Promise<never> {
	const active = await findActiveImport(ctx.store.db);
	throw buildConflictError("Another import is running.", active === undefined ? {} : { run_id: active.id });
}

/** Runs a transaction that starts an import. @throws 409 if another import is active */
async function assertNoOther<T>(ctx: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
	try {
		return await ctx.store.transaction(work);
	} catch (error) {
		if (findBrokenUnique(error) === ONE) return refuseAnother(ctx);
		throw error;
	}
}

function publishImportChange(ctx: Context, id: string, message = ""): void {
	// A listener that misses the message reads the row by itself soon.
	ctx.pubsub.publish(importTopic(id), message).catch(() => undefined);
}

/** Resolves the version to import: one of the settings, or the one that a controller has. */
async function resolveVersion(ctx: Context, caller: Caller, input: Install) {
	if (input.source === "controller") {
		const field = "controller_connection_id";
		const { id, name, target } = await requireTarget(ctx, caller, input.controller_connection_id ?? "", field);
		const tested = await ctx.controllers.test(target);
		if (!tested.ok) throw buildFieldError(field, tested.message);
		const version = tested.version ?? "unknown";
		return {
			source: "controller" as const,
			version_key: OWN,
			label: `${version} (${name})`,
			controller_version: version,
			connection: id,
		};
	}
	const version = ctx.modelSettings.versions.find(({ key }) => key === input.version_key);
	if (version === undefined) {
		const known = ctx.modelSettings.versions.map(({ key }) => key).join(", ");
		throw buildFieldError("version_key", `There is no such version. Known are: ${known}.`);
	}
	return {
		source: ctx.modelSettings.folder === null ? ("remote" as const) : ("folder" as const),
		version_key: version.key,
		label: version.label,
		controller_version: version.label,
		connection: null,
	};
}

async function lockImport(tx: Tx, id: string): Promise<RunRow> {
	const run = await lockImportRun(tx, id);
	if (run === undefined) throw buildNotFoundError("There is no such import.");
	return run;
}

export async function readRegistryStatus(ctx: Context): Promise<RegistryStatus> {
	const [active, history] = await Promise.all([
		findActiveImport(ctx.store.db),
		listModelVersions(ctx.store.db, HISTORY),
	]);
	const loaded = history.find(({ is_active }) => is_active);
	if (loaded !== undefined) await ctx.areas.model.loaded.serves(loaded.id);
	return {
		loaded_version: loaded?.controller_version ?? null,
		active: loaded === undefined ? null : presentVersion(loaded),
		active_import:
			active === undefined
				? null
				: {
						task_id: active.id,
						run_id: active.id,
						controller_version: active.controller_version,
						source: active.source,
						phase: active.phase,
						state: active.state,
					},
		history: history.map(presentVersion),
	};
}

export const listRegistryVersions = (ctx: Context): SourceVersionShape[] =>
	ctx.modelSettings.versions.map(({ key, label, fallbackChain, classCount, notes }, at) => ({
		version_key: key,
		label,
		fallback_chain: [...fallbackChain],
		is_supported: true,
		display_order: at + 1,
		class_count_seed: classCount,
		notes,
	}));

export async function installModel(ctx: Context, caller: Caller, input: Install) {
	if ((await findActiveImport(ctx.store.db)) !== undefined) await refuseAnother(ctx);
	const { connection, ...version } = await resolveVersion(ctx, caller, input);
	const id = ctx.ids.uuid();
	const at = getNow(ctx);
	const concurrency = input.concurrency ?? ctx.modelSettings.concurrency;
	await assertNoOther(ctx, async (tx) => {
		await insertImportRun(tx, {
			id,
			...version,
			concurrency,
			controller_connection_id: connection,
			state: "pending",
			phase: "init",
			started_by: caller.userId,
			started_by_username: caller.username,
			created_at: at,
			enqueued_at: at,
		});
		await ctx.jobs.enqueue(tx, IMPORT_QUEUE, { runId: id });
		await ctx.events.changed(tx, caller, {
			...buildImportTarget({ id }),
			description: `Started to import the class model ${version.label}`,
			metadata: { version_key: version.version_key, source: version.source, concurrency },
		});
	});
	return { run_id: id, task_id: id, version_key: version.version_key, total_classes: 0, concurrency };
}

export async function readImportRun(ctx: Context, id: string) {
	const found = await findImportRun(ctx.store.db, id);
	if (found === undefined) throw buildNotFoundError("There is no such import.");
	const [{ run, version }, failed] = await Promise.all([
		presentServed(ctx, found),
		listFailedFetches(ctx.store.db, id, FAILED_RECENT),
	]);
	return { run: presentRun(run, version, ctx.clock.now()), failed_recent: failed.map(presentJob) };
}

/**
 * The worker stops when it hears of it; where none has taken the import yet, or the one that
 * had it is gone, it ends here.
 */
export async function cancelImport(ctx: Context, caller: Caller, id: string): Promise<{ cancelled: true }> {
	await ctx.store.transaction(async (tx) => {
		const run = await lockImport(tx, id);
		if (run.state === "cancelling" || run.state === "cancelled") return markUnchanged(caller);
		if (!isActive(run.state)) throw buildRefusedError(`The import has ended: it is ${run.state}.`);
		const isHeld = run.lease_token !== null && (run.lease_expires_at?.getTime() ?? 0) > ctx.clock.now();
		await updateImportRun(tx, id, {
			cancel_requested: true,
			...(isHeld
				? { state: "cancelling" }
				: { state: "cancelled", finished_at: getNow(ctx), lease_token: null, lease_expires_at: null }),
		});
		if (!isHeld) await revertClassFetches(tx, id, ["in-progress"]);
		await ctx.events.changed(tx, caller, {
			...buildImportTarget(run),
			description: `Cancelled the import of the class model ${run.label}`,
		});
		tx.afterCommit(() => publishImportChange(ctx, id, STOP));
		tx.afterCommit(() => publishImportChange(ctx, id));
	});
	return { cancelled: true };
}

export async function resumeImport(ctx: Context, caller: Caller, id: string) {
	await assertNoOther(ctx, async (tx) => {
		const run = await lockImport(tx, id);
		if (isActive(run.state)) throw buildConflictError("The import is running.", { run_id: id });
		if (run.state === "completed") throw buildRefusedError("The import is complete.");
		await revertClassFetches(tx, id, ["failed", "in-progress"]);
		await updateImportRun(tx, id, {
			state: "pending",
			phase: "init",
			cancel_requested: false,
			error_summary: "",
			failed_count: 0,
			finished_at: null,
			attempts: 0,
			enqueued_at: getNow(ctx),
			lease_token: null,
			lease_expires_at: null,
		});
		await ctx.jobs.enqueue(tx, IMPORT_QUEUE, { runId: id });
		await ctx.events.changed(tx, caller, {
			...buildImportTarget(run),
			description: `Resumed the import of the class model ${run.label}`,
		});
		tx.afterCommit(() => publishImportChange(ctx, id));
	});
	return { run_id: id, task_id: id };
}

export async function activateVersion(ctx: Context, caller: Caller, id: string): Promise<ModelVersion> {
	const activated = await ctx.store.transaction(async (tx) => {
		const run = await lockImport(tx, id);
		const version = await findVersionByRun(tx.db, id);
		if (version === undefined) throw buildConflictError(`The import is ${run.state}: there is no model of it.`);
		if (!version.is_available)
			throw buildConflictError("The content of this version was removed to make room. Import it again.");
		if (version.is_active) {
			markUnchanged(caller);
			return presentVersion(version);
		}
		await makeVersionActive(ctx, tx, version.id);
		await ctx.events.changed(tx, caller, {
			targetType: "model_version",
			targetId: version.id,
			description: `Put the class model ${version.label} into use`,
		});
		return presentVersion({ ...version, is_active: true });
	});
	// The next read through this process is of the version.
	await ctx.areas.model.loaded.serves(activated.id);
	return activated;
}
