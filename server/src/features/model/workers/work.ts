/** The model's heavy work, always on a worker thread: even one document may take tens of milliseconds. */
import type { RunOptions, WorkerPool } from "../../../platform/workers/pool.ts";
import { detachable } from "../../../platform/workers/serve.ts";
import { workerUrl } from "../../../platform/workers/worker-url.ts";
import type { BuildOutput, GivenDocument, modelTasks, ReadOutput } from "./tasks.ts";

export type ModelPool = WorkerPool<typeof modelTasks>;
type Options = Pick<RunOptions, "signal">;

export interface ModelWork {
	/** Takes the documents' bytes over. */
	read(documents: readonly GivenDocument[], options?: Options): Promise<ReadOutput>;
	build(records: readonly Uint8Array[], options?: Options): Promise<BuildOutput>;
	compare(
		from: readonly Uint8Array[],
		to: readonly Uint8Array[],
		options?: Options,
	): Promise<ReturnType<(typeof modelTasks)["compare"]>["value"]>;
}

/** The thread's file, for the pool. */
export const modelWorkerUrl = (): URL => workerUrl(import.meta.url, "./model-worker.ts");

export function createModelWork(pool: Pick<ModelPool, "run">): ModelWork {
	return {
		async read(documents, options) {
			const transfer: ArrayBuffer[] = [];
			const given = documents.map((document) => {
				const { bytes, memory } = detachable(document.body);
				transfer.push(memory);
				return { ...document, body: bytes };
			});
			return pool.run("read", { documents: given }, { ...options, transfer });
		},
		build: (records, options) => pool.run("build", { records: [...records] }, options),
		compare: (from, to, options) => pool.run("compare", { from: [...from], to: [...to] }, options),
	};
}
