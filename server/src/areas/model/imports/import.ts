/**
 * One import from its first class to the switch. Progress is stored; a process that takes the
 * import over continues from there.
 */
import type { Context } from "../../../context.ts";
import { LeaseLost } from "../../../core/lease.ts";
import type { Store } from "../../../core/ports/store.ts";
import { type ModelOrigin, ModelSourceError } from "../../../integrations/class-documents/port.ts";
import { findTarget } from "../../fabrics/manage-connections.ts";
import { publishVersion } from "../publish-version.ts";
import { listVersionRecords, replacePieces } from "../sql/versions.ts";
import { buildImage, type ImageBuilding } from "../workers/work.ts";
import { crawlClasses, SourceGone } from "./crawl.ts";
import { type PublishedProgress, publishProgress } from "./publish-progress.ts";
import { type Hold, insertFirstClasses, listKnownClasses, updateHeldImport } from "./sql/import.ts";
import type { RunRow } from "./sql/imports.ts";
import { findImportRun, purgeEndedImports, revertClassFetches } from "./sql/imports.ts";

/** From which all other classes are found. */
const SEEDS: readonly string[] = ["topRoot", "polUni", "fvTenant"];
/** Part of the classes that may fail. */
const FAILED_SHARE = 0.05;
const DAY_MS = 86_400_000;
/** What imports brought that came to nothing is kept for so long, for a resume. */
const KEPT_MS = 30 * DAY_MS;

/** An import that cannot succeed; the message is shown to users. */
class ImportFailed extends Error {}

async function downloadClasses(
	ctx: Context,
	run: RunRow,
	hold: Hold,
	signal: AbortSignal,
	stop: AbortSignal,
	published: PublishedProgress,
) {
	const source = await ctx.modelSource.open(await findOrigin(ctx, run), run.concurrency);
	try {
		const seeds = [...new Set([...SEEDS, ...source.seeds])];
		await ctx.store.transaction((tx) => insertFirstClasses(tx, hold, seeds, new Date(ctx.clock.now())));
		publishProgress(ctx, published);
		const known = await listKnownClasses(ctx.store.db, run.id);
		// Of an import that goes on, the records of before are in the store only.
		const image = known.pending.length === known.names.length ? ctx.areas.model.beginImage() : null;
		const ended = await crawlClasses(ctx, {
			source,
			hold,
			published,
			image,
			signal,
			stop,
			concurrency: run.concurrency,
			known: new Set(known.names),
			pending: known.pending,
		});
		return { ended, image };
	} finally {
		await source.close();
	}
}

async function assertGood(ctx: Context, runId: string): Promise<RunRow> {
	const run = await findImportRun(ctx.store.db, runId);
	if (run === undefined) throw new LeaseLost();
	const { completed_count: done, failed_count: failed } = run;
	if (failed > (done + failed) * FAILED_SHARE) {
		throw new ImportFailed(
			`${failed} of ${done + failed} classes could not be fetched; more than 5 % is too many. Resume it to try them again.`,
		);
	}
	if (done === 0)
		throw new ImportFailed(
			`The source publishes no class of the version ${run.version_key}: neither ${SEEDS.join(" nor ")}.`,
		);
	return run;
}

async function finishImage(ctx: Context, run: RunRow, hold: Hold, image: ImageBuilding | null, signal: AbortSignal) {
	const built =
		(await image?.finish({ signal })) ??
		(await buildImage(ctx.modelPools, await listVersionRecords(ctx.store.db, run.id), { signal }));
	await ctx.store.transaction(async (tx) => {
		await updateHeldImport(tx.db, hold, { phase: "finalizing", core_ready_at: new Date(ctx.clock.now()) });
		await replacePieces(tx, run.id, built.pieces);
	});
	return built;
}

async function completeImport(
	ctx: Context,
	run: RunRow,
	hold: Hold,
	built: Awaited<ReturnType<typeof finishImage>>,
): Promise<void> {
	const id = ctx.ids.uuid();
	const now = new Date(ctx.clock.now());
	await ctx.store.transaction(async (tx) => {
		await updateHeldImport(tx.db, hold, {
			state: "completed",
			phase: "done",
			finished_at: now,
			error_summary: "",
			lease_token: null,
			lease_expires_at: null,
		});
		await publishVersion(ctx, tx, {
			id,
			runId: run.id,
			versionKey: run.version_key,
			label: run.label,
			controllerVersion: run.controller_version,
			source: run.source,
			importedAt: now,
			importedBy: run.started_by_username,
			imageBytes: built.bytes,
			classes: built.meta.classes,
			properties: built.meta.properties,
			relations: built.meta.relations,
		});
		await purgeEndedImports(tx, new Date(now.getTime() - KEPT_MS));
		await ctx.events.changed(tx, buildActor(run, "model_import_complete"), {
			targetType: "model_version",
			targetId: id,
			description: `The class model ${run.label} was imported and is in use: ${built.meta.classes} classes`,
			metadata: { run_id: run.id, classes: built.meta.classes, properties: built.meta.properties },
		});
		await notifyStarter(
			ctx,
			tx,
			run,
			"info",
			`The class model ${run.label} is in use`,
			`${built.meta.classes} classes with ${built.meta.properties} properties.`,
		);
	});
}

type Tx = Parameters<Parameters<Store["transaction"]>[0]>[0];

async function notifyStarter(
	ctx: Context,
	tx: Tx,
	run: RunRow,
	severity: "info" | "error",
	title: string,
	body: string,
): Promise<void> {
	if (run.started_by === null) return;
	await ctx.events.emit(tx, {
		type: "notification_due",
		category: "system",
		userId: run.started_by,
		severity,
		title,
		body,
		link: `/api/mim-registry/remote/runs/${run.id}/`,
		facts: {
			event: "model_import_ended",
			objects: [
				{
					kind: "model_import_run",
					id: run.id,
					name: run.label,
					after: severity === "info" ? "completed" : "failed",
				},
			],
		},
		key: `model-import:${run.id}:${ctx.clock.now()}`,
	});
}

/** Ends it without a model: the loaded one stays. */
async function endEarly(
	ctx: Context,
	run: RunRow,
	hold: Hold,
	state: "cancelled" | "failed",
	why: string,
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await updateHeldImport(tx.db, hold, {
			state,
			finished_at: new Date(ctx.clock.now()),
			error_summary: why,
			lease_token: null,
			lease_expires_at: null,
		});
		await revertClassFetches(tx, run.id, ["in-progress"]);
		await ctx.events.changed(
			tx,
			buildActor(run, state === "failed" ? "model_import_failed" : "model_import_cancelled"),
			{
				targetType: "model_import_run",
				targetId: run.id,
				description: `The import of the class model ${run.label} ${state === "failed" ? `failed: ${why}` : "was cancelled"}`,
			},
		);
		if (state === "failed")
			await notifyStarter(ctx, tx, run, "error", `The import of the class model ${run.label} failed`, why);
	});
}

/**
 * Carries it out to its end. Rejects when it is to go on later: the process stops, the store is
 * away, the lease is lost.
 * @param stop aborted when the import is to be cancelled
 */
export async function runImport(
	ctx: Context,
	row: RunRow,
	hold: Hold,
	signal: AbortSignal,
	stop: AbortSignal,
): Promise<void> {
	const published: PublishedProgress = { runId: row.id, at: 0 };
	try {
		if (row.cancel_requested) return await endEarly(ctx, row, hold, "cancelled", "");
		const { ended, image } = await downloadClasses(ctx, row, hold, signal, stop, published);
		if (ended === "stopped") return await endEarly(ctx, row, hold, "cancelled", "");
		const good = await assertGood(ctx, row.id);
		await updateHeldImport(ctx.store.db, hold, { phase: "importing" });
		publishProgress(ctx, published);
		const built = await finishImage(ctx, good, hold, image, AbortSignal.any([signal, stop]));
		publishProgress(ctx, published);
		await completeImport(ctx, good, hold, built);
	} catch (error) {
		if (signal.aborted || error instanceof LeaseLost) throw error;
		if (stop.aborted) return await endEarly(ctx, row, hold, "cancelled", "");
		const known = error instanceof ImportFailed || error instanceof SourceGone || error instanceof ModelSourceError;
		if (!known) throw error;
		await endEarly(ctx, row, hold, "failed", error.message);
	} finally {
		publishProgress(ctx, published);
	}
}

export function failImport(ctx: Context, row: RunRow, hold: Hold, why: string) {
	return endEarly(ctx, row, hold, "failed", why);
}

/** Imports act on behalf of the user who started them. */
const buildActor = (run: RunRow, action: string) => ({
	userId: run.started_by,
	username: run.started_by_username,
	ip: "",
	userAgent: "",
	requestId: run.id,
	audit: { category: "mim_registry" as const, action },
});

/** As the settings are now: an import that is taken up after they changed goes by the new ones. */
async function findOrigin(ctx: Context, run: RunRow): Promise<ModelOrigin> {
	const { versions, folder } = ctx.modelSettings;
	if (run.source === "controller") {
		const found = await findTarget(ctx, run.controller_connection_id ?? "");
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
