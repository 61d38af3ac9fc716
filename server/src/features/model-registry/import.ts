/**
 * One import from its first class to the switch. Progress is stored; a process that takes the
 * import over continues from there.
 */
import type { Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import { type ModelOrigin, type ModelSource, ModelSourceError } from "../../ports/model-source.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Store } from "../../ports/store.ts";
import type { ImageBuilding, ModelFeature } from "../model/index.ts";
import { crawlClasses, SourceGone } from "./crawl.ts";
import type { RunRow } from "./repo.ts";
import { findImportRun, purgeEndedImports, revertClassFetches } from "./repo.ts";
import {
	type Hold,
	insertFirstClasses,
	LeaseLost,
	listKnownClasses,
	storeFetchedClasses,
	updateHeldImport,
} from "./repo-import.ts";
import { importTopic } from "./topics.ts";

export interface ImportDeps {
	readonly store: Store;
	readonly model: Pick<ModelFeature, "work" | "installed">;
	readonly sources: ModelSource;
	readonly events: Pick<Events, "changed" | "emit">;
	readonly pubsub: Pick<PubSub, "publish">;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
	/**
	 * Where a run's documents come from.
	 * @throws ModelSourceError if the origin is no longer known
	 */
	getOrigin(run: RunRow): Promise<ModelOrigin>;
}

/** From which all other classes are found. */
const SEEDS: readonly string[] = ["topRoot", "polUni", "fvTenant"];
/** Part of the classes that may fail. */
const FAILED_SHARE = 0.05;
const TELL_MS = 250;
const DAY_MS = 86_400_000;
/** What imports brought that came to nothing is kept for so long, for a resume. */
const KEPT_MS = 30 * DAY_MS;

/** An import that cannot succeed; the message is shown to users. */
class ImportFailed extends Error {}

export function createImporter(deps: ImportDeps) {
	const { store, model, clock, log } = deps;

	/** Tells that something changed; the listeners read what. */
	function createProgressPublisher(runId: string) {
		let last = 0;
		return (always: boolean): void => {
			const now = clock.now();
			if (!always && now - last < TELL_MS) return;
			last = now;
			deps.pubsub
				.publish(importTopic(runId), "")
				.catch((error: unknown) => log.debug({ err: error }, "progress of an import could not be told"));
		};
	}

	async function downloadClasses(
		run: RunRow,
		hold: Hold,
		signal: AbortSignal,
		stop: AbortSignal,
		tell: (always: boolean) => void,
	) {
		const source = await deps.sources.open(await deps.getOrigin(run), run.concurrency);
		try {
			const seeds = [...new Set([...SEEDS, ...source.seeds])];
			await store.transaction((tx) => insertFirstClasses(tx, hold, seeds, new Date(clock.now())));
			tell(true);
			const known = await listKnownClasses(store.db, run.id);
			// Of an import that goes on, the records of before are in the store only.
			const image = known.pending.length === known.names.length ? model.work.building() : null;
			const ended = await crawlClasses({
				source,
				signal,
				stop,
				concurrency: run.concurrency,
				work: { read: (documents, options) => model.work.read(documents, { ...options, into: image }) },
				known: new Set(known.names),
				pending: known.pending,
				async store(batch) {
					const cancel = await store.transaction((tx) => storeFetchedClasses(tx, hold, new Date(clock.now()), batch));
					tell(false);
					return cancel;
				},
			});
			return { ended, image };
		} finally {
			await source.close();
		}
	}

	async function assertGood(runId: string): Promise<RunRow> {
		const run = await findImportRun(store.db, runId);
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

	async function buildImage(run: RunRow, hold: Hold, image: ImageBuilding | null, signal: AbortSignal) {
		const built =
			(await image?.finish({ signal })) ?? (await model.work.build(await model.installed.records(run.id), { signal }));
		await store.transaction(async (tx) => {
			await updateHeldImport(tx.db, hold, { phase: "finalizing", core_ready_at: new Date(clock.now()) });
			await model.installed.putImage(tx, run.id, built.pieces);
		});
		return built;
	}

	async function completeImport(run: RunRow, hold: Hold, built: Awaited<ReturnType<typeof buildImage>>): Promise<void> {
		const id = deps.ids.uuid();
		const now = new Date(clock.now());
		await store.transaction(async (tx) => {
			await updateHeldImport(tx.db, hold, {
				state: "completed",
				phase: "done",
				finished_at: now,
				error_summary: "",
				lease_token: null,
				lease_expires_at: null,
			});
			await model.installed.publish(tx, {
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
			await deps.events.changed(tx, buildActor(run, "model_import_complete"), {
				targetType: "model_version",
				targetId: id,
				description: `The class model ${run.label} was imported and is in use: ${built.meta.classes} classes`,
				metadata: { run_id: run.id, classes: built.meta.classes, properties: built.meta.properties },
			});
			await notifyStarter(
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
		tx: Tx,
		run: RunRow,
		severity: "info" | "error",
		title: string,
		body: string,
	): Promise<void> {
		if (run.started_by === null) return;
		await deps.events.emit(tx, {
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
			key: `model-import:${run.id}:${clock.now()}`,
		});
	}

	/** Ends it without a model: the loaded one stays. */
	async function endEarly(run: RunRow, hold: Hold, state: "cancelled" | "failed", why: string): Promise<void> {
		await store.transaction(async (tx) => {
			await updateHeldImport(tx.db, hold, {
				state,
				finished_at: new Date(clock.now()),
				error_summary: why,
				lease_token: null,
				lease_expires_at: null,
			});
			await revertClassFetches(tx, run.id, ["in-progress"]);
			await deps.events.changed(
				tx,
				buildActor(run, state === "failed" ? "model_import_failed" : "model_import_cancelled"),
				{
					targetType: "model_import_run",
					targetId: run.id,
					description: `The import of the class model ${run.label} ${state === "failed" ? `failed: ${why}` : "was cancelled"}`,
				},
			);
			if (state === "failed")
				await notifyStarter(tx, run, "error", `The import of the class model ${run.label} failed`, why);
		});
	}

	/**
	 * Carries it out to its end. Rejects when it is to go on later: the process stops, the store is
	 * away, the lease is lost.
	 * @param stop aborted when the import is to be cancelled
	 */
	async function runImport(row: RunRow, hold: Hold, signal: AbortSignal, stop: AbortSignal): Promise<void> {
		const tell = createProgressPublisher(row.id);
		try {
			if (row.cancel_requested) return await endEarly(row, hold, "cancelled", "");
			const { ended, image } = await downloadClasses(row, hold, signal, stop, tell);
			if (ended === "stopped") return await endEarly(row, hold, "cancelled", "");
			const good = await assertGood(row.id);
			await updateHeldImport(store.db, hold, { phase: "importing" });
			tell(true);
			const built = await buildImage(good, hold, image, AbortSignal.any([signal, stop]));
			tell(true);
			await completeImport(good, hold, built);
		} catch (error) {
			if (signal.aborted || error instanceof LeaseLost) throw error;
			if (stop.aborted) return await endEarly(row, hold, "cancelled", "");
			const known = error instanceof ImportFailed || error instanceof SourceGone || error instanceof ModelSourceError;
			if (!known) throw error;
			await endEarly(row, hold, "failed", error.message);
		} finally {
			tell(true);
		}
	}

	return { run: runImport, fail: (row: RunRow, hold: Hold, why: string) => endEarly(row, hold, "failed", why) };
}
export type Importer = ReturnType<typeof createImporter>;

/** Imports act on behalf of the user who started them. */
const buildActor = (run: RunRow, action: string) => ({
	userId: run.started_by,
	username: run.started_by_username,
	ip: "",
	userAgent: "",
	requestId: run.id,
	audit: { category: "mim_registry" as const, action },
});
