/**
 * The class model: the loaded version in memory, the explorer over it, and what other features may
 * ask of it.
 */
import type { ModelSourceName } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Announcements } from "../../ports/announcements.ts";
import type { CurrentModel, ModelGraph } from "../../ports/class-model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Log } from "../../ports/log.ts";
import type { Db, Store, Tx } from "../../ports/store.ts";
import { buildGraph } from "./domain/graph.ts";
import { IMAGE_FORMAT } from "./domain/image.ts";
import { createLoadedModel, type Loaded, MODEL_TOPIC } from "./loaded.ts";
import {
	findVersionByRun,
	insertModelVersion,
	listModelVersions,
	listVersionRecords,
	markVersionActive,
	removeOldVersions,
	replacePieces,
	type VersionRow,
} from "./repo-versions.ts";
import { createRoutes } from "./routes.ts";
import { createExplorer } from "./service.ts";
import { createPersonal } from "./service-personal.ts";
import { createFacts, createTools } from "./service-tools.ts";
import { createModelWork, type ModelPools, type ModelWork } from "./workers/work.ts";

export { presentVersion } from "./present.ts";
export type { VersionRow } from "./repo-versions.ts";
export type { GivenDocument } from "./workers/documents.ts";
export type { BuildOutput, ReadOutput } from "./workers/tasks.ts";
export { type ImageBuilding, type ModelPools, type ModelWork, modelWorkerUrl } from "./workers/work.ts";

export interface ModelFeatureDeps {
	readonly store: Store;
	readonly announcements: Announcements;
	readonly events: Events;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Log;
	readonly version: string;
	/** Threads that read documents and build models. */
	readonly modelPools: ModelPools;
	/** A saved query's canvas, if the identity may see it. */
	findQuery(identity: Identity, id: string): Promise<{ readonly flowData: unknown } | null>;
}

/** A model that was built and stored, and is to be one of the installed versions. */
export interface NewVersion {
	readonly id: string;
	readonly runId: string;
	readonly versionKey: string;
	readonly label: string;
	readonly controllerVersion: string;
	readonly source: ModelSourceName;
	readonly classes: number;
	readonly properties: number;
	readonly relations: number;
	readonly importedAt: Date;
	readonly importedBy: string;
	readonly imageBytes: number;
}

export interface ModelFeature {
	readonly routes: BoundRoute[];
	readonly work: ModelWork;
	/** Begins to load the active version, so that the first request does not have to wait. */
	warm(): void;
	/**
	 * The loaded model for planning and checking queries; null without one. Rejects while it cannot
	 * be read.
	 */
	readonly graph: CurrentModel;
	/** For the start page: the version in use, and whether it can be read. */
	readonly state: {
		loaded(): Promise<{ readonly controllerVersion: string; readonly installedAt: Date } | null>;
		healthy(): Promise<void>;
	};
	readonly installed: {
		list(limit: number): Promise<VersionRow[]>;
		ofRun(runId: string, db?: Db): Promise<VersionRow | undefined>;
		/**
		 * Whether this process answers from an active version; loads it if it has not heard of it yet.
		 */
		serves(versionId: string): Promise<boolean>;
		/** The records of a run, packed. */
		records(runId: string): Promise<Buffer[]>;
		/** The image of a run, in the place of an earlier one. */
		putImage(tx: Tx, runId: string, pieces: readonly Uint8Array[]): Promise<void>;
		/**
		 * Adds a version, makes it the loaded one on every node when the transaction commits, and makes
		 * room.
		 */
		publish(tx: Tx, version: NewVersion): Promise<void>;
		/** Makes an installed version the loaded one on every node when the transaction commits. */
		activate(tx: Tx, id: string): Promise<void>;
	};
}

/** Versions whose content is kept, to go back to. */
const KEPT = 3;

export function createModel(deps: ModelFeatureDeps): ModelFeature {
	const { store, announcements } = deps;
	const work = createModelWork(deps.modelPools);
	const loaded = createLoadedModel({ ...deps, work });
	const facts = createFacts();
	/** One for each loaded model, so that who keeps something beside it notices another one. */
	const graphs = new WeakMap<Loaded, ModelGraph>();
	const explorer = createExplorer();
	const tools = createTools({ ...deps, work, loaded }, facts);
	const personal = createPersonal({ ...deps, loaded });

	async function activateVersion(tx: Tx, id: string): Promise<void> {
		await markVersionActive(tx, id);
		await announcements.announce(tx, MODEL_TOPIC, id);
	}

	return {
		routes: createRoutes({ explorer, personal, tools, loaded, release: deps.version }),
		work,
		warm: loaded.warm,
		async graph() {
			const current = await loaded.current();
			if (current === null) return null;
			const graph = graphs.get(current) ?? buildGraph(current.model, current.version.label);
			graphs.set(current, graph);
			return graph;
		},
		state: {
			async loaded() {
				const version = (await loaded.current())?.version;
				return version === undefined
					? null
					: { controllerVersion: version.controller_version, installedAt: version.imported_at };
			},
			healthy: async () => void (await loaded.current()),
		},
		installed: {
			serves: loaded.serves,
			list: (limit) => listModelVersions(store.db, limit),
			ofRun: (runId, db = store.db) => findVersionByRun(db, runId),
			records: (runId) => listVersionRecords(store.db, runId),
			putImage: replacePieces,
			async publish(tx, version) {
				await insertModelVersion(tx, {
					id: version.id,
					run_id: version.runId,
					version_key: version.versionKey,
					label: version.label,
					controller_version: version.controllerVersion,
					source: version.source,
					class_count: version.classes,
					property_count: version.properties,
					rel_count: version.relations,
					imported_at: version.importedAt,
					imported_by_username: version.importedBy,
					is_active: false,
					is_available: true,
					image_format: IMAGE_FORMAT,
					image_bytes: version.imageBytes,
				});
				await activateVersion(tx, version.id);
				await removeOldVersions(tx, KEPT);
			},
			activate: activateVersion,
		},
	};
}
