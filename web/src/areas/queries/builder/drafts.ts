/** Unsaved canvases, stored in this browser. */
import type { Doc } from "./model/canvas.ts";

export interface Draft {
	readonly doc: Doc;
	/** The version that it was begun on; null for a query that was never saved. */
	readonly base: string | null;
	/** Milliseconds since 1970. */
	readonly at: number;
}

const NAME = "weft";
const STORE = "drafts";

/** The database, which stays open: a page that is left has no time to open it. */
let opened: Promise<IDBDatabase> | null = null;

function openDatabase(): Promise<IDBDatabase> {
	return new Promise((resolve, reject) => {
		const request = indexedDB.open(NAME, 1);
		request.onupgradeneeded = () => request.result.createObjectStore(STORE);
		request.onsuccess = () => {
			const forget = () => {
				opened = null;
			};
			request.result.onclose = forget;
			request.result.onversionchange = () => {
				request.result.close();
				forget();
			};
			resolve(request.result);
		};
		request.onerror = () => reject(request.error);
	});
}

async function runTransaction<T>(
	mode: IDBTransactionMode,
	work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | null> {
	// A browser that keeps nothing (a private window) works without drafts.
	try {
		opened ??= openDatabase();
		const database = await opened;
		return await new Promise<T>((resolve, reject) => {
			const request = work(database.transaction(STORE, mode).objectStore(STORE));
			request.onsuccess = () => resolve(request.result);
			request.onerror = () => reject(request.error);
		});
	} catch {
		opened = null;
		return null;
	}
}

/** Drafts are their author's: several people may use one browser. */
const getKey = (userId: number, queryId: string | null): string => `${userId}:${queryId ?? "new"}`;

export const readDraft = async (userId: number, queryId: string | null): Promise<Draft | null> =>
	((await runTransaction("readonly", (store) => store.get(getKey(userId, queryId)))) as Draft | undefined) ?? null;

export const writeDraft = (userId: number, queryId: string | null, draft: Draft) =>
	runTransaction("readwrite", (store) => store.put(draft, getKey(userId, queryId)));

export const dropDraft = (userId: number, queryId: string | null) =>
	runTransaction("readwrite", (store) => store.delete(getKey(userId, queryId)));
