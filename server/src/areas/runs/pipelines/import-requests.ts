/** Turns requests to a controller into canvases, on a worker thread. */
import type { RequestImportInput } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { buildFieldError, buildRefusedError, buildUnavailableError } from "../../../core/errors.ts";
import { WorkerPoolError } from "../../../core/workers/pool.ts";

/** Time for all requests of one import. */
const IMPORT_MS = 20_000;

/**
 * JSON of the answer. @throws AppError 400 under `text` or `collection`; 400 or 503 if no thread
 * could do it
 */
export async function importRequests(ctx: Context, input: RequestImportInput, signal: AbortSignal): Promise<Buffer> {
	const outcome = await ctx.pipelinePool
		.run("importRequests", input, { signal, timeoutMs: IMPORT_MS })
		.catch(throwRefusal);
	if (!outcome.ok) throw buildFieldError(outcome.field, outcome.problem);
	return Buffer.concat([Buffer.from('{"results":'), outcome.results, Buffer.from("}")]);
}

function throwRefusal(error: unknown): never {
	if (!(error instanceof WorkerPoolError)) throw error;
	if (error.code === "timeout" || error.code === "stopped") {
		throw buildRefusedError("The requests take too much time or memory to read. Import fewer or shorter ones.");
	}
	throw buildUnavailableError("The service is reading as many requests as it can. Try again shortly.");
}
