/**
 * The model's heavy work, always on a worker thread: even one document may take tens of
 * milliseconds.
 */
import type { RunOptions, WorkerPool } from "../../../core/workers/pool.ts";
import { getWorkerUrl } from "../../../core/workers/worker-url.ts";
import { type GivenDocument, joinBodies } from "./documents.ts";
import type { BuildOutput, CollectInto, ModelTasks, ReadOutput } from "./tasks.ts";

export type ModelPool = WorkerPool<ModelTasks>;
type Options = Pick<RunOptions, "signal">;

export interface ModelPools {
	/** One thread, which unpacks documents for the one that reads them: a fifth of the work. */
	readonly unpacking: ModelPool;
	/** One thread, which reads documents and builds images. */
	readonly importing: ModelPool;
	/** Compares versions, also while an import runs. */
	readonly comparing: ModelPool;
}

/** An image that is built while the documents are read. */
export interface ImageBuilding {
	/** The place of the next documents in the image. */
	next(): CollectInto;
	/** Null if its thread was lost; build the image from the stored records instead. */
	finish(options?: Options): Promise<BuildOutput | null>;
}

/** The thread's file, for the pool. */
export const getModelWorkerUrl = (): URL => getWorkerUrl(import.meta.url, "./model-worker.ts");

/** All of them are in one piece of it. */
const readMemory = ([first]: readonly GivenDocument[]): ArrayBuffer[] =>
	first?.body.buffer instanceof ArrayBuffer ? [first.body.buffer] : [];

/** @param options into: where they go, besides */
export async function readDocuments(
	{ unpacking, importing }: Pick<ModelPools, "unpacking" | "importing">,
	documents: readonly GivenDocument[],
	{ into, ...options }: Options & { into?: ImageBuilding | null } = {},
): Promise<ReadOutput> {
	const packed = joinBodies(documents);
	const unpacked = await unpacking.run(
		"unpack",
		{ documents: packed.documents },
		{ ...options, transfer: [packed.memory] },
	);
	return importing.run(
		"read",
		{ documents: unpacked, into: into?.next() ?? null },
		{ ...options, transfer: readMemory(unpacked) },
	);
}

export const buildImage = (
	{ importing }: Pick<ModelPools, "importing">,
	records: readonly Uint8Array[],
	options?: Options,
): Promise<BuildOutput> => importing.run("build", { records: [...records] }, options);

export const compareImages = (
	{ comparing }: Pick<ModelPools, "comparing">,
	from: readonly Uint8Array[],
	to: readonly Uint8Array[],
): Promise<ReturnType<ModelTasks["compare"]>["value"]> => comparing.run("compare", { from: [...from], to: [...to] });

/**
 * Begins images that are built while their documents are read. One at a time: a later one makes the
 * one before come to nothing.
 */
export function createImageBuildings({ importing }: Pick<ModelPools, "importing">): () => ImageBuilding {
	let begun = 0;
	return () => {
		const image = ++begun;
		let isFirst = true;
		return {
			next() {
				const next = { image, isFirst };
				isFirst = false;
				return next;
			},
			async finish(options) {
				const built = await importing.run("finish", { image }, options).catch(() => null);
				options?.signal?.throwIfAborted();
				return built;
			},
		};
	};
}
