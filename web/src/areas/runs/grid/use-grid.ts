/** The worker of one grid: asked by number, and ended with the grid. */
import { useEffect, useRef, useState } from "react";
import { UnreachableError, UserError } from "../../../platform/failures.ts";
import type { Answer, ColumnInfo, Numbered, Question } from "./protocol.ts";

export type Source =
	/** Rows as lines of JSON, or as a member of a document. */
	| {
			readonly key: string;
			readonly member?: string;
			readonly request: () => Promise<{ url: string; headers: Record<string, string> }>;
	  }
	| { readonly key: string; readonly rows: readonly unknown[] };

export type GridState =
	| { readonly kind: "loading"; readonly rows: number }
	| {
			readonly kind: "ready";
			readonly rows: number;
			readonly columns: readonly ColumnInfo[];
			/** What the document holds beside its rows. */
			readonly about?: unknown;
	  }
	| { readonly kind: "failed"; readonly error: unknown; readonly isMissing: boolean };

export interface GridWorker {
	ask<K extends Answer["kind"]>(question: Question, kind: K): Promise<Extract<Answer, { kind: K }>>;
}

/** A refusal by the service, or by a limit of the grid. */
class GridRefusal extends UserError {
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

export function useGrid(source: Source): { readonly state: GridState; readonly worker: GridWorker } {
	const [state, setState] = useState<GridState>({ kind: "loading", rows: 0 });
	const latest = useRef(source);
	latest.current = source;
	const current = useRef<GridWorker>({ ask: () => new Promise(() => {}) });
	const { key } = source;
	// biome-ignore lint/correctness/useExhaustiveDependencies: a source is its key
	useEffect(() => {
		const worker = new Worker(new URL("./grid.worker.ts", import.meta.url), { type: "module" });
		const waiting = new Map<number, (answer: Answer) => void>();
		let last = 0;
		worker.onmessage = ({ data: { id, message } }: MessageEvent<Numbered<Answer>>) => {
			if (message.kind === "progress") return setState({ kind: "loading", rows: message.rows });
			waiting.get(id)?.(message);
			waiting.delete(id);
		};
		worker.onerror = (event) => {
			// The script of the worker could not be fetched: the event has no message then.
			const error = event.message ? new Error(event.message) : new UnreachableError("the worker's script");
			setState({ kind: "failed", error, isMissing: false });
		};
		current.current = {
			ask: (question, kind) =>
				new Promise((resolve, reject) => {
					const id = ++last;
					waiting.set(id, (answer) => {
						if (answer.kind === kind) resolve(answer as never);
						else if (answer.kind === "failed") reject(readFailure(answer));
						else reject(new Error("The worker gave another answer."));
					});
					worker.postMessage({ id, message: question } satisfies Numbered<Question>);
				}),
		};
		setState({ kind: "loading", rows: 0 });
		const begin = async () => {
			const from = latest.current;
			const question: Question =
				"rows" in from
					? { kind: "take", rows: from.rows }
					: {
							kind: "load",
							...(await from.request()),
							...(from.member === undefined ? {} : { member: from.member }),
						};
			const { rows, columns, about } = await current.current.ask(question, "loaded");
			setState({ kind: "ready", rows, columns, about });
		};
		begin().catch((error: unknown) =>
			setState({
				kind: "failed",
				error,
				isMissing: error instanceof GridRefusal && error.status === 404,
			}),
		);
		return () => worker.terminate();
	}, [key]);
	return { state, worker: current.current };
}
