/**
 * The model that this process answers from: the active version, as it lies in memory. Every process
 * loads it by itself when it hears of another one, and answers from the old one until the new one
 * is there; so nobody sees a part of one, or of two.
 */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { LRUCache } from "lru-cache";
import { buildUnavailableError } from "../../platform/errors.ts";
import type { Announcements } from "../../ports/announcements.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { IMAGE_FORMAT } from "./domain/image.ts";
import { type Model, openModel } from "./domain/model.ts";
import { createPathFinder, type PathFinder } from "./domain/paths.ts";
import { createSearch, type Search } from "./domain/search.ts";
import type { VersionRow } from "./repo-versions.ts";
import {
	findActiveVersion,
	findPiece,
	findVersionByName,
	listPieceNumbers,
	listVersionRecords,
	replacePieces,
	setImageFormat,
} from "./repo-versions.ts";
import type { ModelWork } from "./workers/work.ts";

/** Pub/sub topic, published to all processes when the active version changes. */
export const MODEL_TOPIC = "model";

export interface Loaded {
	readonly version: VersionRow;
	readonly model: Model;
	readonly search: Search;
	readonly paths: PathFinder;
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
	/** The image's pieces of any version, packed, built anew where they are of another format. */
	pieces(version: VersionRow): Promise<Buffer[]>;
}

export interface LoadedDeps {
	readonly store: Store;
	readonly announcements: Pick<Announcements, "listen">;
	readonly clock: Pick<Clock, "sleep">;
	readonly log: Log;
	readonly work: Pick<ModelWork, "build">;
}

const decompress = promisify(brotliDecompress);
/** Pieces that are read and unpacked at the same time. */
const AT_ONCE = 3;
const ANSWERS_BYTES = 24 * 1024 * 1024;
const RETRY_MS = 5_000;
/** A model is loaded within a second or two, unless this release has to build it anew. */
const CATCH_UP_MS = 5_000;

export function createLoadedModel({ store, announcements, clock, log, work }: LoadedDeps): LoadedModel {
	let loaded: Loaded | null = null;
	/**
	 * Whether the store was asked with success; before that nobody knows whether there is a model.
	 */
	let known = false;
	let stale = true;
	let loading: Promise<void> | null = null;

	/**
	 * Applies `make` to each piece of the version's image, in order. Rebuilds an image of another
	 * format first.
	 */
	async function mapPieces<Made>(version: VersionRow, make: (piece: Buffer) => Promise<Made>): Promise<Made[]> {
		const stored = version.image_format === IMAGE_FORMAT ? await takeStored(version, make) : null;
		if (stored !== null) return stored;
		const made: Made[] = [];
		for (const piece of await rebuildImage(version)) made.push(await make(Buffer.from(piece)));
		return made;
	}

	/**
	 * Null where a process of another release built the image anew meanwhile: pieces of both could be
	 * among these.
	 */
	async function takeStored<Made>(version: VersionRow, make: (piece: Buffer) => Promise<Made>): Promise<Made[] | null> {
		const seqs = await listPieceNumbers(store.db, version.run_id);
		const made: Made[] = [];
		let isWhole = true;
		let next = 0;
		const reader = async (): Promise<void> => {
			for (let at = next++; at < seqs.length && isWhole; at = next++) {
				const piece = await findPiece(store.db, version.run_id, seqs[at] ?? 0);
				if (piece === undefined) isWhole = false;
				else made[at] = await make(piece);
			}
		};
		await Promise.all(Array.from({ length: AT_ONCE }, reader));
		const now = await findVersionByName(store.db, version.id, true);
		return isWhole && now?.image_format === IMAGE_FORMAT ? made : null;
	}

	/**
	 * What another release built cannot be used: it is built again from the records, once for all
	 * processes.
	 */
	async function rebuildImage(version: VersionRow): Promise<readonly Uint8Array[]> {
		log.info({ version: version.id }, "the model is built anew for this release");
		const records = await listVersionRecords(store.db, version.run_id);
		if (records.length === 0) throw new Error("the records of the model are gone");
		const { pieces: made, bytes } = await work.build(records);
		await store.transaction(async (tx) => {
			await replacePieces(tx, version.run_id, made);
			await setImageFormat(tx, version.id, IMAGE_FORMAT, bytes);
		});
		return made;
	}

	async function readImage(version: VersionRow): Promise<Uint8Array<ArrayBuffer>> {
		const parts = await mapPieces(version, (piece) => decompress(piece));
		const image = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
		let at = 0;
		for (const part of parts) {
			image.set(part, at);
			at += part.length;
			// Copying all of it at once would hold up every request.
			await new Promise((resolve) => setImmediate(resolve));
		}
		return image;
	}

	async function loadStaleModel(): Promise<void> {
		while (stale) {
			stale = false;
			try {
				const active = await findActiveVersion(store.db);
				if (active === undefined) loaded = null;
				else if (active.id !== loaded?.version.id) {
					const model = openModel(await readImage(active));
					loaded = {
						version: active,
						model,
						search: createSearch(model),
						paths: createPathFinder(model),
						answers: new LRUCache({
							maxSize: ANSWERS_BYTES,
							sizeCalculation: ({ length }, key) => length + key.length + 1,
						}),
					};
					log.info({ version: active.id, classes: active.class_count }, "the model is loaded");
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
			log.warn({ err: error }, "the model could not be loaded and will be tried again");
			clock.sleep(RETRY_MS).then(reloadModel, () => undefined);
		});
	}
	async function loadFirstModel(): Promise<Loaded | null> {
		await refreshModel().catch((error: unknown) => {
			log.warn({ err: error }, "the model cannot be loaded");
			throw buildUnavailableError("The class model cannot be loaded at the moment.");
		});
		return loaded;
	}
	announcements.listen(MODEL_TOPIC, reloadModel, () => {
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
				await Promise.race([refreshModel(), clock.sleep(CATCH_UP_MS, waited.signal)]);
			} catch (error) {
				log.warn({ err: error }, "the model could not be loaded");
			} finally {
				waited.abort();
			}
			return loaded?.version.id === versionId;
		},
		warm: () => void refreshModel().catch(() => undefined),
		pieces: (version) => mapPieces(version, async (piece) => piece),
	};
}
