/** A worker that holds the rows of a result: asked by number, and ended by the one who made it. */
import { UnreachableError, UserError } from "../../../platform/failures.ts";
import type { Answer, FirstRows, Numbered, Question } from "./protocol.ts";

export interface GridWorker {
	ask<K extends Answer["kind"]>(question: Question, kind: K): Promise<Extract<Answer, { kind: K }>>;
}

/** A refusal by the service, or by a limit of the grid. */
export class GridRefusal extends UserError {
	readonly status: number | undefined;
	constructor(message: string, status: number | undefined) {
		super(message);
		this.status = status;
	}
}

/** The error of a worker, with the class that it had there. */
function readFailure({ reason, message, status, stack }: Extract<Answer, { kind: "failed" }>): Error {
	if (reason === "refused") return new GridRefusal(message, status);
	if (reason === "unreachable") return new UnreachableError(message);
	const error = new Error(message);
	if (stack !== undefined) error.stack = stack;
	return error;
}

/**
 * @param onProgress takes the number of rows so far, and once the first rows that can be viewed
 * @param onError takes a failure of the worker's script, which no question gets
 */
export function startGridWorker(
	onProgress: (rows: number, first?: FirstRows) => void,
	onError: (error: Error) => void,
) {
	const worker = new Worker(new URL("./grid.worker.ts", import.meta.url), { type: "module" });
	const waiting = new Map<number, (answer: Answer) => void>();
	let last = 0;
	worker.onmessage = ({ data: { id, message } }: MessageEvent<Numbered<Answer>>) => {
		if (message.kind === "progress") return onProgress(message.rows, message.first);
		waiting.get(id)?.(message);
		waiting.delete(id);
	};
	// The script of the worker could not be fetched: the event has no message then.
	worker.onerror = (event) =>
		onError(event.message ? new Error(event.message) : new UnreachableError("the worker's script"));
	const ask: GridWorker["ask"] = (question, kind) =>
		new Promise((resolve, reject) => {
			const id = ++last;
			waiting.set(id, (answer) => {
				if (answer.kind === kind) resolve(answer as never);
				else if (answer.kind === "failed") reject(readFailure(answer));
				else reject(new Error("The worker gave another answer."));
			});
			worker.postMessage({ id, message: question } satisfies Numbered<Question>);
		});
	return { ask, end: () => worker.terminate() };
}
