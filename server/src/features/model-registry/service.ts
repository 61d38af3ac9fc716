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
import type { Caller, Identity } from "../../platform/caller.ts";
import { buildConflictError, buildRefusedError, invalidField, notFound } from "../../platform/errors.ts";
import { type Events, markUnchanged } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ControllerDriver, ControllerTarget } from "../../ports/controller.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { SourceVersion } from "../../ports/model-source.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import { brokenUnique, type Store, type Tx } from "../../ports/store.ts";
import { type ModelFeature, presentVersion } from "../model/index.ts";
import { presentJob, presentRun } from "./present.ts";
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
} from "./repo.ts";
import { asServed } from "./served.ts";
import { IMPORT_QUEUE, importTopic, STOP } from "./topics.ts";

export interface RegistrySettings {
	/** What can be imported, in the order in which it is shown. */
	readonly versions: readonly SourceVersion[];
	/** A folder of documents that takes the place of the publishing site; null: none. */
	readonly folder: string | null;
	readonly concurrency: number;
}

export interface RegistryDeps {
	readonly store: Store;
	readonly model: Pick<ModelFeature, "installed">;
	readonly settings: RegistrySettings;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly events: Pick<Events, "changed">;
	readonly pubsub: Pick<PubSub, "publish">;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly controllers: Pick<ControllerDriver, "test">;
	/** A connection that the caller may use; every problem is a 400 under the field. */
	usableConnection(
		identity: Identity,
		id: string,
		field: string,
	): Promise<{ id: string; name: string; target: ControllerTarget }>;
}

const HISTORY = 50;
/** The key of what a controller publishes itself. */
const OWN = "controller";
const ONE = "model_import_runs_one";

export function createRegistry(deps: RegistryDeps) {
	const { store, model, settings, clock, ids, events } = deps;
	const now = () => new Date(clock.now());
	const about = ({ id }: { id: string }) => ({ targetType: "model_import_run", targetId: id });

	async function refuseAnother(): Promise<never> {
		const active = await findActiveImport(store.db);
		throw buildConflictError("Another import is running.", active === undefined ? {} : { run_id: active.id });
	}

	/** Runs a transaction that starts an import. @throws 409 if another import is active */
	async function withoutAnother<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		try {
			return await store.transaction(work);
		} catch (error) {
			if (brokenUnique(error) === ONE) return refuseAnother();
			throw error;
		}
	}

	function publishImportChange(id: string, message = ""): void {
		// A listener that misses the message reads the row by itself soon.
		deps.pubsub.publish(importTopic(id), message).catch(() => undefined);
	}

	/** Resolves the version to import: one of the settings, or the one that a controller has. */
	async function resolveVersion(caller: Caller, input: Install) {
		if (input.source === "controller") {
			const field = "controller_connection_id";
			const { id, name, target } = await deps.usableConnection(caller, input.controller_connection_id ?? "", field);
			const tested = await deps.controllers.test(target);
			if (!tested.ok) throw invalidField(field, tested.message);
			const version = tested.version ?? "unknown";
			return {
				source: "controller" as const,
				version_key: OWN,
				label: `${version} (${name})`,
				controller_version: version,
				connection: id,
			};
		}
		const version = settings.versions.find(({ key }) => key === input.version_key);
		if (version === undefined) {
			const known = settings.versions.map(({ key }) => key).join(", ");
			throw invalidField("version_key", `There is no such version. Known are: ${known}.`);
		}
		return {
			source: settings.folder === null ? ("remote" as const) : ("folder" as const),
			version_key: version.key,
			label: version.label,
			controller_version: version.label,
			connection: null,
		};
	}

	async function lockImport(tx: Tx, id: string): Promise<RunRow> {
		const run = await lockImportRun(tx, id);
		if (run === undefined) throw notFound("There is no such import.");
		return run;
	}

	return {
		async status(): Promise<RegistryStatus> {
			const [active, history] = await Promise.all([findActiveImport(store.db), model.installed.list(HISTORY)]);
			const loaded = history.find(({ is_active }) => is_active);
			if (loaded !== undefined) await model.installed.serves(loaded.id);
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
		},

		versions: (): SourceVersionShape[] =>
			settings.versions.map(({ key, label, fallbackChain, classCount, notes }, at) => ({
				version_key: key,
				label,
				fallback_chain: [...fallbackChain],
				is_supported: true,
				display_order: at + 1,
				class_count_seed: classCount,
				notes,
			})),

		async install(caller: Caller, input: Install) {
			if ((await findActiveImport(store.db)) !== undefined) await refuseAnother();
			const { connection, ...version } = await resolveVersion(caller, input);
			const id = ids.uuid();
			const at = now();
			const concurrency = input.concurrency ?? settings.concurrency;
			await withoutAnother(async (tx) => {
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
				await deps.jobs.enqueue(tx, IMPORT_QUEUE, { runId: id });
				await events.changed(tx, caller, {
					...about({ id }),
					description: `Started to import the class model ${version.label}`,
					metadata: { version_key: version.version_key, source: version.source, concurrency },
				});
			});
			return { run_id: id, task_id: id, version_key: version.version_key, total_classes: 0, concurrency };
		},

		async run(id: string) {
			const found = await findImportRun(store.db, id);
			if (found === undefined) throw notFound("There is no such import.");
			const [{ run, version }, failed] = await Promise.all([
				asServed(model, found),
				listFailedFetches(store.db, id, FAILED_RECENT),
			]);
			return { run: presentRun(run, version, clock.now()), failed_recent: failed.map(presentJob) };
		},

		/**
		 * The worker stops when it hears of it; where none has taken the import yet, or the one that
		 * had it is gone, it ends here.
		 */
		async cancel(caller: Caller, id: string): Promise<{ cancelled: true }> {
			await store.transaction(async (tx) => {
				const run = await lockImport(tx, id);
				if (run.state === "cancelling" || run.state === "cancelled") return markUnchanged(caller);
				if (!isActive(run.state)) throw buildRefusedError(`The import has ended: it is ${run.state}.`);
				const isHeld = run.lease_token !== null && (run.lease_expires_at?.getTime() ?? 0) > clock.now();
				await updateImportRun(tx, id, {
					cancel_requested: true,
					...(isHeld
						? { state: "cancelling" }
						: { state: "cancelled", finished_at: now(), lease_token: null, lease_expires_at: null }),
				});
				if (!isHeld) await revertClassFetches(tx, id, ["in-progress"]);
				await events.changed(tx, caller, {
					...about(run),
					description: `Cancelled the import of the class model ${run.label}`,
				});
				tx.afterCommit(() => publishImportChange(id, STOP));
				tx.afterCommit(() => publishImportChange(id));
			});
			return { cancelled: true };
		},

		async resume(caller: Caller, id: string) {
			await withoutAnother(async (tx) => {
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
					enqueued_at: now(),
					lease_token: null,
					lease_expires_at: null,
				});
				await deps.jobs.enqueue(tx, IMPORT_QUEUE, { runId: id });
				await events.changed(tx, caller, {
					...about(run),
					description: `Resumed the import of the class model ${run.label}`,
				});
				tx.afterCommit(() => publishImportChange(id));
			});
			return { run_id: id, task_id: id };
		},

		async activate(caller: Caller, id: string): Promise<ModelVersion> {
			const activated = await store.transaction(async (tx) => {
				const run = await lockImport(tx, id);
				const version = await model.installed.ofRun(id, tx.db);
				if (version === undefined) throw buildConflictError(`The import is ${run.state}: there is no model of it.`);
				if (!version.is_available)
					throw buildConflictError("The content of this version was removed to make room. Import it again.");
				if (version.is_active) {
					markUnchanged(caller);
					return presentVersion(version);
				}
				await model.installed.activate(tx, version.id);
				await events.changed(tx, caller, {
					targetType: "model_version",
					targetId: version.id,
					description: `Put the class model ${version.label} into use`,
				});
				return presentVersion({ ...version, is_active: true });
			});
			// The next read through this process is of the version.
			await model.installed.serves(activated.id);
			return activated;
		},
	};
}
export type Registry = ReturnType<typeof createRegistry>;
