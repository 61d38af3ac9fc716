/**
 * The model that this process answers from: the active version, as it lies in memory. Every process
 * loads it by itself when it hears of another one, and answers from the old one until the new one
 * is there; so nobody sees a part of one, or of two.
 */
import { LRUCache } from "lru-cache";
import type { Context } from "../../context.ts";
import { buildUnavailableError } from "../../core/errors.ts";
import type { ModelGraph } from "../../core/ports/class-model.ts";
import { collectFacts, type ModelFacts } from "./rules/facts.ts";
import { buildGraph } from "./rules/graph.ts";
import { type Model, openModel } from "./rules/model.ts";
import { createPathFinder, type PathFinder } from "./rules/paths.ts";
import { createSearch, type Search } from "./rules/search.ts";
import { findActiveVersion, type VersionRow } from "./sql/versions.ts";
import { readImage } from "./stored-image.ts";

/** Pub/sub topic, published to all processes when the active version changes. */
export const MODEL_TOPIC = "model";

export interface Loaded {
	readonly version: VersionRow;
	readonly model: Model;
	readonly search: Search;
	readonly paths: PathFinder;
	/** The base of the check of canvases. Made when it is read first. */
	readonly facts: ModelFacts;
	/** The base of planning and checking queries. Made when it is read first. */
	readonly graph: ModelGraph;
	/** Answers as they were sent; gone with the model they are about. */
	readonly answers: LRUCache<string, Buffer | string>;
}

export interface LoadedModel {
	/**
	 * The loaded model, after the first load; null where no version is active. @throws 503 while it
	 * cannot be loaded
	 */
	current(): Promise<Loaded | null>;
	/**
	 * Whether this process answers from an active version. Loads it first if it has not heard of it
	 * yet, for up to `CATCH_UP_MS`.
	 */
	serves(versionId: string): Promise<boolean>;
	/** Begins to load, so that the first request does not have to wait. */
	warm(): void;
}

const ANSWERS_BYTES = 24 * 1024 * 1024;
const RETRY_MS = 5_000;
/** A model is loaded within a second or two, unless this release has to build it anew. */
const CATCH_UP_MS = 5_000;
/** Known classes that a warning about an unknown one names. */
const SIMILAR = 5;

function openLoaded(version: VersionRow, image: Uint8Array<ArrayBuffer>): Loaded {
	const model = openModel(image);
	const search = createSearch(model);
	const listSimilar = (name: string) => search.search(name, SIMILAR, "class").map(({ id }) => model.name(id));
	let facts: ModelFacts | undefined;
	let graph: ModelGraph | undefined;
	return {
		version,
		model,
		search,
		paths: createPathFinder(model),
		get facts() {
			facts ??= collectFacts(model, version.label, listSimilar);
			return facts;
		},
		get graph() {
			graph ??= buildGraph(model, version.label);
			return graph;
		},
		answers: new LRUCache({
			maxSize: ANSWERS_BYTES,
			sizeCalculation: ({ length }, key) => length + key.length + 1,
		}),
	};
}

export function createLoadedModel(ctx: Context): LoadedModel {
	let loaded: Loaded | null = null;
	/**
	 * Whether the store was asked with success; before that nobody knows whether there is a model.
	 */
	let known = false;
	let stale = true;
	let loading: Promise<void> | null = null;

	async function loadStaleModel(): Promise<void> {
		while (stale) {
			stale = false;
			try {
				const active = await findActiveVersion(ctx.store.db);
				if (active === undefined) loaded = null;
				else if (active.id !== loaded?.version.id) {
					loaded = openLoaded(active, await readImage(ctx, active));
					ctx.log.info({ version: active.id, classes: active.class_count }, "the model is loaded");
				}
				known = true;
			} catch (error) {
				stale = true;
				throw error;
			}
		}
	}

	/** One load at a time; one that is asked for meanwhile follows. */
	function refreshModel(): Promise<void> {
		loading ??= loadStaleModel().finally(() => {
			loading = null;
		});
		return loading;
	}

	/** Reloads the model, and retries until a load succeeds: an announcement must not be lost. */
	function reloadModel(): void {
		stale = true;
		refreshModel().catch((error: unknown) => {
			ctx.log.warn({ err: error }, "the model could not be loaded and will be tried again");
			ctx.clock.sleep(RETRY_MS).then(reloadModel, () => undefined);
		});
	}

	async function loadFirstModel(): Promise<Loaded | null> {
		await refreshModel().catch((error: unknown) => {
			ctx.log.warn({ err: error }, "the model cannot be loaded");
			throw buildUnavailableError("The class model cannot be loaded at the moment.");
		});
		return loaded;
	}

	ctx.announcements.listen(MODEL_TOPIC, reloadModel, () => {
		if (known) reloadModel();
	});

	return {
		async current() {
			// A request during the first load waits for it instead of getting null.
			return known && (loaded !== null || (!stale && loading === null)) ? loaded : loadFirstModel();
		},
		async serves(versionId) {
			if (loaded?.version.id === versionId) return true;
			const waited = new AbortController();
			stale = true;
			try {
				await Promise.race([refreshModel(), ctx.clock.sleep(CATCH_UP_MS, waited.signal)]);
			} catch (error) {
				ctx.log.warn({ err: error }, "the model could not be loaded");
			} finally {
				waited.abort();
			}
			return loaded?.version.id === versionId;
		},
		warm: () => void refreshModel().catch(() => undefined),
	};
}
