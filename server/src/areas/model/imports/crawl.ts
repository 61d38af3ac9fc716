/**
 * Finds and fetches every class: a sliding window of requests, documents parsed in batches as
 * threads are free, and results stored batch by batch. Each of the three waits for the next when
 * that falls behind, so memory stays bounded.
 */
import type { Context } from "../../../context.ts";
import { WorkerPoolError } from "../../../core/workers/pool.ts";
import type { Fetched, OpenSource } from "../../../integrations/class-documents/port.ts";
import type { GivenDocument } from "../workers/documents.ts";
import type { ReadOutput } from "../workers/tasks.ts";
import { type ImageBuilding, readDocuments } from "../workers/work.ts";
import { type PublishedProgress, publishBatch } from "./publish-progress.ts";
import { type Batch, type Hold, type Outcome, storeFetchedClasses } from "./sql/import.ts";

interface CrawlOptions {
	readonly source: Pick<OpenSource, "fetch">;
	readonly hold: Hold;
	readonly published: PublishedProgress;
	/** The image that a worker builds of the documents meanwhile; null: it is built later. */
	readonly image: ImageBuilding | null;
	/** Every class that is known, whatever became of it. */
	readonly known: Set<string>;
	/** Those that are still to be fetched. */
	readonly pending: readonly string[];
	readonly concurrency: number;
	readonly signal: AbortSignal;
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

/** A crawl: the names that are left, the documents that wait, and the batch to be stored. */
interface CrawlState {
	readonly ctx: Context;
	readonly options: CrawlOptions;
	readonly queue: string[];
	head: number;
	/** Taken from the queue and not yet read: each of them may name more classes. */
	open: number;
	readonly window: Set<string>;
	readonly waiting: (GivenDocument & { readonly fetched: Fetched & { kind: "found" } })[];
	waitingBytes: number;
	readers: number;
	readonly rereads: Map<string, number>;
	failures: number;
	batch: ReturnType<typeof createEmptyBatch>;
	batches: number;
	storing: Promise<void> | null;
	failure: { readonly error: unknown } | null;
	stopping: boolean;
	readonly leaving: AbortController;
	readonly fetchSignal: AbortSignal;
	readonly sleepers: (() => void)[];
}

function notifyChange(crawl: CrawlState): void {
	for (const wake of crawl.sleepers.splice(0)) wake();
}

const waitForChange = (crawl: CrawlState) => new Promise<void>((resolve) => crawl.sleepers.push(resolve));

function leaveCrawl(crawl: CrawlState): void {
	crawl.stopping = true;
	crawl.leaving.abort(new Error("the crawl stops"));
	storeDue(crawl);
	notifyChange(crawl);
}

function failCrawl(crawl: CrawlState, error: unknown): void {
	crawl.failure ??= { error };
	leaveCrawl(crawl);
}

async function runFetchLoop(crawl: CrawlState): Promise<void> {
	for (;;) {
		while (!crawl.stopping && (crawl.head >= crawl.queue.length ? crawl.open > 0 : crawl.waitingBytes > WAITING_BYTES))
			await waitForChange(crawl);
		if (crawl.stopping || crawl.head >= crawl.queue.length) return;
		const name = crawl.queue[crawl.head++] ?? "";
		crawl.open++;
		crawl.window.add(name);
		try {
			recordFetched(crawl, name, await crawl.options.source.fetch(name, crawl.fetchSignal));
		} catch (error) {
			if (!crawl.fetchSignal.aborted) failCrawl(crawl, error);
			return;
		} finally {
			crawl.window.delete(name);
		}
	}
}

function recordFetched(crawl: CrawlState, name: string, fetched: Fetched): void {
	if (fetched.kind === "found") {
		crawl.failures = 0;
		crawl.waiting.push({ name, key: fetched.key, body: fetched.body, encoding: fetched.encoding, fetched });
		crawl.waitingBytes += fetched.body.length;
	} else {
		crawl.failures = fetched.kind === "failed" ? crawl.failures + 1 : 0;
		crawl.open--;
		addToBatch(crawl, { outcomes: [getOutcome(name, fetched, 0)] });
		if (crawl.failures >= GONE)
			failCrawl(
				crawl,
				new SourceGone(`The source stopped answering: ${fetched.kind === "failed" ? fetched.message : ""}`),
			);
		notifyChange(crawl);
	}
	startReaders(crawl);
}

function startReaders(crawl: CrawlState): void {
	while (
		crawl.readers < READING &&
		crawl.waiting.length > 0 &&
		crawl.batches < WAITING_BATCHES &&
		crawl.failure === null
	) {
		let bytes = 0;
		let count = 0;
		for (const { body } of crawl.waiting) {
			if (count > 0 && (count >= BATCH_DOCUMENTS || bytes + body.length > BATCH_BYTES)) break;
			bytes += body.length;
			count++;
		}
		const documents = crawl.waiting.splice(0, count);
		crawl.readers++;
		readTaken(crawl, documents)
			.catch((error) => failCrawl(crawl, error))
			.finally(() => {
				crawl.readers--;
				crawl.waitingBytes -= bytes;
				crawl.open -= documents.length;
				notifyChange(crawl);
				startReaders(crawl);
				storeDue(crawl);
			});
	}
}

async function readTaken(crawl: CrawlState, documents: typeof crawl.waiting): Promise<void> {
	const byName = new Map(documents.map(({ name, fetched }) => [name, fetched]));
	const output = await readOrSplit(crawl, documents);
	const outcomes: Outcome[] = [];
	for (const result of output.outcomes) {
		const fetched = byName.get(result.name);
		if (fetched === undefined) continue;
		const again = crawl.rereads.get(result.name) ?? 0;
		if (result.ok) outcomes.push(getOutcome(result.name, fetched, again, result.properties));
		else if (again < REREADS) {
			crawl.rereads.set(result.name, again + 1);
			crawl.queue.push(result.name);
		} else outcomes.push({ ...getOutcome(result.name, fetched, again), state: "failed", last_error: result.message });
	}
	const found = output.named.filter((name) => !crawl.options.known.has(name));
	for (const name of found) crawl.options.known.add(name);
	crawl.queue.push(...found);
	const classes = outcomes.filter(({ state }) => state === "done").length;
	addToBatch(crawl, {
		outcomes,
		found,
		records: output.records === null ? [] : [{ payload: output.records, classes }],
	});
}

/** Isolates a document that crashes its thread, so that the others are still parsed. */
async function readOrSplit(crawl: CrawlState, documents: readonly GivenDocument[]): Promise<ReadOutput> {
	const { image, signal } = crawl.options;
	try {
		return await readDocuments(crawl.ctx.modelPools, documents, { signal, into: image });
	} catch (error) {
		if (!(error instanceof WorkerPoolError) || error.code !== "stopped" || signal.aborted) throw error;
		const [only] = documents;
		if (documents.length === 1 && only !== undefined) {
			const message = "it is too large or too deep to be read";
			return { outcomes: [{ name: only.name, ok: false, message }], records: null, named: [] };
		}
		const half = documents.length >> 1;
		const first = await readOrSplit(crawl, documents.slice(0, half));
		const second = await readOrSplit(crawl, documents.slice(half));
		// Records may be put one behind the other only when they are unpacked: each half is stored by
		// itself.
		if (first.records !== null)
			addToBatch(crawl, {
				records: [{ payload: first.records, classes: first.outcomes.filter(({ ok }) => ok).length }],
			});
		return {
			outcomes: [...first.outcomes, ...second.outcomes],
			records: second.records,
			named: [...new Set([...first.named, ...second.named])],
		};
	}
}

function addToBatch(
	crawl: CrawlState,
	{ outcomes = [], found = [], records = [] }: Partial<Omit<Batch, "window">>,
): void {
	if (outcomes.length + found.length + records.length === 0) return;
	crawl.batch.outcomes.push(...outcomes);
	crawl.batch.found.push(...found);
	crawl.batch.records.push(...records);
	crawl.batches++;
	storeDue(crawl);
}

/** Where nothing is being read, or nothing more will be, what there is is not kept waiting. */
const isDue = (crawl: CrawlState): boolean =>
	crawl.batches > 0 &&
	(crawl.stopping || crawl.batches >= STORED_BATCHES || (crawl.readers === 0 && crawl.waiting.length === 0));

function storeDue(crawl: CrawlState): void {
	if (isDue(crawl)) crawl.storing ??= storeBatches(crawl);
}

/** Stores a batch. Returns true if the import is to be cancelled. */
async function storeBatch({ ctx, options }: CrawlState, batch: Batch): Promise<boolean> {
	const isCancelled = await ctx.store.transaction((tx) =>
		storeFetchedClasses(tx, options.hold, new Date(ctx.clock.now()), batch),
	);
	publishBatch(ctx, options.published);
	return isCancelled;
}

/** Everything that has come together meanwhile is stored at once. */
async function storeBatches(crawl: CrawlState): Promise<void> {
	try {
		while (isDue(crawl)) {
			const taken = crawl.batch;
			crawl.batch = createEmptyBatch();
			crawl.batches = 0;
			startReaders(crawl);
			if (await storeBatch(crawl, { ...taken, window: [...crawl.window] })) leaveCrawl(crawl);
		}
	} catch (error) {
		failCrawl(crawl, error);
	} finally {
		// Cleared in this turn of the event loop, so that the next due batch starts storing again.
		crawl.storing = null;
	}
}

/** @throws SourceGone, or what the store and the source reject with */
export async function crawlClasses(ctx: Context, options: CrawlOptions): Promise<"complete" | "stopped"> {
	const { concurrency, signal } = options;

	const leaving = new AbortController();
	const crawl: CrawlState = {
		ctx,
		options,
		queue: [...options.pending],
		head: 0,
		open: 0,
		window: new Set(),
		waiting: [],
		waitingBytes: 0,
		readers: 0,
		rereads: new Map(),
		failures: 0,
		batch: createEmptyBatch(),
		batches: 0,
		storing: null,
		failure: null,
		stopping: options.stop.aborted,
		leaving,
		fetchSignal: AbortSignal.any([signal, leaving.signal]),
		sleepers: [],
	};

	const leave = () => leaveCrawl(crawl);
	options.stop.addEventListener("abort", leave);

	const onAbort = () => failCrawl(crawl, signal.reason);
	signal.addEventListener("abort", onAbort);

	try {
		await Promise.all(Array.from({ length: concurrency }, () => runFetchLoop(crawl)));
		// Parse and store the fetched documents, also when the crawl stops.
		while (crawl.failure === null && (crawl.readers > 0 || crawl.waiting.length > 0)) await waitForChange(crawl);
		while (crawl.storing !== null) await crawl.storing;
		if (crawl.failure !== null) {
			const { error } = crawl.failure as { error: unknown };
			throw error;
		}
		return crawl.stopping ? "stopped" : "complete";
	} finally {
		options.stop.removeEventListener("abort", leave);
		signal.removeEventListener("abort", onAbort);
	}
}

function createEmptyBatch(): { outcomes: Outcome[]; found: string[]; records: Batch["records"][number][] } {
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
