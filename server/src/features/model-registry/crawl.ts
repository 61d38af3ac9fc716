/**
 * Finds and fetches every class: a sliding window of requests, documents parsed in batches as
 * threads are free, and results stored batch by batch. Each of the three waits for the next when
 * that falls behind, so memory stays bounded.
 */
import { WorkerPoolError } from "../../platform/workers/pool.ts";
import type { Fetched, OpenSource } from "../../ports/model-source.ts";
import type { GivenDocument } from "../model/workers/documents.ts";
import type { ReadOutput } from "../model/workers/tasks.ts";

/** What became of a class. */
export interface Outcome {
	readonly name: string;
	readonly state: "done" | "not_found" | "failed";
	readonly source_version: string | null;
	readonly attempted_versions: readonly string[];
	readonly http_status_last: number | null;
	readonly last_error: string;
	/** Tries beyond the first. */
	readonly retries: number;
	readonly properties: number;
}

/** Results that are stored together. */
export interface Batch {
	readonly outcomes: readonly Outcome[];
	/** Classes that were not known before. */
	readonly found: readonly string[];
	readonly records: readonly { readonly payload: Uint8Array; readonly classes: number }[];
	/** Classes that are being fetched now. */
	readonly window: readonly string[];
}

export interface CrawlOptions {
	readonly source: Pick<OpenSource, "fetch">;
	read(documents: readonly GivenDocument[]): Promise<ReadOutput>;
	/** Every class that is known, whatever became of it. */
	readonly known: Set<string>;
	/** Those that are still to be fetched. */
	readonly pending: readonly string[];
	readonly concurrency: number;
	readonly signal: AbortSignal;
	/** Stores a batch; true when the crawl is to stop. */
	store(batch: Batch): Promise<boolean>;
	/** Aborted when the crawl should stop soon: fetched documents are still parsed and stored. */
	readonly stop: AbortSignal;
}

/** The source no longer answers. Fetched documents are stored. */
export class SourceGone extends Error {
	override readonly name = "SourceGone";
}

const BATCH_DOCUMENTS = 96;
const BATCH_BYTES = 6 * 1024 * 1024;
/** Handed to the threads that read: one is read, one unpacked, and the next ones wait there. */
const READING = 4;
/** Fetched and not yet read. */
const WAITING_BYTES = 32 * 1024 * 1024;
/** Read and not yet stored. */
const WAITING_BATCHES = 6;
/**
 * Stored together while more is being read: a transaction of its own for each would cost more than
 * its rows.
 */
const STORED_BATCHES = 4;
/**
 * Times that a document which cannot be read is fetched again: it may have been cut off on the way.
 */
const REREADS = 2;
/** Failures in a row after which the source is taken to be gone. */
const GONE = 50;

/** @throws SourceGone, or what the store and the source reject with */
export async function crawlClasses(options: CrawlOptions): Promise<"complete" | "stopped"> {
	const { source, known, concurrency, signal } = options;
	const queue = [...options.pending];
	let head = 0;
	/** Taken from the queue and not yet read: each of them may name more classes. */
	let open = 0;
	const window = new Set<string>();
	const waiting: (GivenDocument & { readonly fetched: Fetched & { kind: "found" } })[] = [];
	let waitingBytes = 0;
	let readers = 0;
	const rereads = new Map<string, number>();
	let failures = 0;
	let batch = emptyBatch();
	let batches = 0;
	let storing: Promise<void> | null = null;
	let failure: { readonly error: unknown } | null = null;
	let stopping = options.stop.aborted;
	const leaving = new AbortController();
	const fetchSignal = AbortSignal.any([signal, leaving.signal]);
	const sleepers: (() => void)[] = [];

	const changed = (): void => {
		for (const wake of sleepers.splice(0)) wake();
	};
	const change = () => new Promise<void>((resolve) => sleepers.push(resolve));
	const leave = (): void => {
		stopping = true;
		leaving.abort(new Error("the crawl stops"));
		storeDue();
		changed();
	};
	const fail = (error: unknown): void => {
		failure ??= { error };
		leave();
	};
	options.stop.addEventListener("abort", leave);
	const onAbort = () => fail(signal.reason);
	signal.addEventListener("abort", onAbort);

	async function runFetchLoop(): Promise<void> {
		for (;;) {
			while (!stopping && (head >= queue.length ? open > 0 : waitingBytes > WAITING_BYTES)) await change();
			if (stopping || head >= queue.length) return;
			const name = queue[head++] ?? "";
			open++;
			window.add(name);
			try {
				recordFetched(name, await source.fetch(name, fetchSignal));
			} catch (error) {
				if (!fetchSignal.aborted) fail(error);
				return;
			} finally {
				window.delete(name);
			}
		}
	}

	function recordFetched(name: string, fetched: Fetched): void {
		if (fetched.kind === "found") {
			failures = 0;
			waiting.push({ name, key: fetched.key, body: fetched.body, encoding: fetched.encoding, fetched });
			waitingBytes += fetched.body.length;
		} else {
			failures = fetched.kind === "failed" ? failures + 1 : 0;
			open--;
			addToBatch({ outcomes: [getOutcome(name, fetched, 0)] });
			if (failures >= GONE)
				fail(new SourceGone(`The source stopped answering: ${fetched.kind === "failed" ? fetched.message : ""}`));
			changed();
		}
		startReaders();
	}

	function startReaders(): void {
		while (readers < READING && waiting.length > 0 && batches < WAITING_BATCHES && failure === null) {
			let bytes = 0;
			let count = 0;
			for (const { body } of waiting) {
				if (count > 0 && (count >= BATCH_DOCUMENTS || bytes + body.length > BATCH_BYTES)) break;
				bytes += body.length;
				count++;
			}
			const documents = waiting.splice(0, count);
			readers++;
			readDocuments(documents)
				.catch(fail)
				.finally(() => {
					readers--;
					waitingBytes -= bytes;
					open -= documents.length;
					changed();
					startReaders();
					storeDue();
				});
		}
	}

	async function readDocuments(documents: typeof waiting): Promise<void> {
		const byName = new Map(documents.map(({ name, fetched }) => [name, fetched]));
		const output = await readOrSplit(documents);
		const outcomes: Outcome[] = [];
		for (const result of output.outcomes) {
			const fetched = byName.get(result.name);
			if (fetched === undefined) continue;
			const again = rereads.get(result.name) ?? 0;
			if (result.ok) outcomes.push(getOutcome(result.name, fetched, again, result.properties));
			else if (again < REREADS) {
				rereads.set(result.name, again + 1);
				queue.push(result.name);
			} else outcomes.push({ ...getOutcome(result.name, fetched, again), state: "failed", last_error: result.message });
		}
		const found = output.named.filter((name) => !known.has(name));
		for (const name of found) known.add(name);
		queue.push(...found);
		const classes = outcomes.filter(({ state }) => state === "done").length;
		addToBatch({ outcomes, found, records: output.records === null ? [] : [{ payload: output.records, classes }] });
	}

	/** Isolates a document that crashes its thread, so that the others are still parsed. */
	async function readOrSplit(documents: readonly GivenDocument[]): Promise<ReadOutput> {
		try {
			return await options.read(documents);
		} catch (error) {
			if (!(error instanceof WorkerPoolError) || error.code !== "stopped" || signal.aborted) throw error;
			const [only] = documents;
			if (documents.length === 1 && only !== undefined) {
				const message = "it is too large or too deep to be read";
				return { outcomes: [{ name: only.name, ok: false, message }], records: null, named: [] };
			}
			const half = documents.length >> 1;
			const first = await readOrSplit(documents.slice(0, half));
			const second = await readOrSplit(documents.slice(half));
			// Records may be put one behind the other only when they are unpacked: each half is stored by
			// itself.
			if (first.records !== null)
				addToBatch({ records: [{ payload: first.records, classes: first.outcomes.filter(({ ok }) => ok).length }] });
			return {
				outcomes: [...first.outcomes, ...second.outcomes],
				records: second.records,
				named: [...new Set([...first.named, ...second.named])],
			};
		}
	}

	function addToBatch({ outcomes = [], found = [], records = [] }: Partial<Omit<Batch, "window">>): void {
		if (outcomes.length + found.length + records.length === 0) return;
		batch.outcomes.push(...outcomes);
		batch.found.push(...found);
		batch.records.push(...records);
		batches++;
		storeDue();
	}

	/** Where nothing is being read, or nothing more will be, what there is is not kept waiting. */
	const isDue = (): boolean =>
		batches > 0 && (stopping || batches >= STORED_BATCHES || (readers === 0 && waiting.length === 0));

	function storeDue(): void {
		if (isDue()) storing ??= storeBatches();
	}

	/** Everything that has come together meanwhile is stored at once. */
	async function storeBatches(): Promise<void> {
		try {
			while (isDue()) {
				const taken = batch;
				batch = emptyBatch();
				batches = 0;
				startReaders();
				if (await options.store({ ...taken, window: [...window] })) leave();
			}
		} catch (error) {
			fail(error);
		} finally {
			// At once: what comes before the next turn must find that nobody stores.
			storing = null;
		}
	}

	try {
		await Promise.all(Array.from({ length: concurrency }, runFetchLoop));
		// Parse and store the fetched documents, also when the crawl stops.
		while (failure === null && (readers > 0 || waiting.length > 0)) await change();
		while (storing !== null) await storing;
		if (failure !== null) {
			const { error } = failure as { error: unknown };
			throw error;
		}
		return stopping ? "stopped" : "complete";
	} finally {
		options.stop.removeEventListener("abort", leave);
		signal.removeEventListener("abort", onAbort);
	}
}

function emptyBatch(): { outcomes: Outcome[]; found: string[]; records: Batch["records"][number][] } {
	return { outcomes: [], found: [], records: [] };
}

function getOutcome(name: string, fetched: Fetched, again: number, properties = 0): Outcome {
	const state = fetched.kind === "found" ? "done" : fetched.kind === "missing" ? "not_found" : "failed";
	return {
		name,
		state,
		properties,
		source_version: fetched.kind === "found" ? fetched.key : null,
		attempted_versions: fetched.attempted,
		http_status_last: fetched.status,
		last_error:
			fetched.kind === "failed" ? fetched.message : fetched.kind === "missing" ? "No version publishes it." : "",
		retries: fetched.retries + again,
	};
}
