/** The rows of one grid, held by a worker that ends with it. */
import { useEffect, useRef, useState } from "react";
import { GridRefusal, type GridWorker, startGridWorker } from "./grid-worker.ts";
import type { ColumnInfo, FirstRows, Question } from "./protocol.ts";

export type Source =
	/** Rows as lines of JSON, or as a member of a document. */
	| {
			readonly key: string;
			readonly member?: string;
			readonly request: () => Promise<{ url: string; headers: Record<string, string> }>;
	  }
	| {
			readonly key: string;
			readonly rows: readonly unknown[];
			/** Keys of the columns that come first. */
			readonly first?: readonly string[];
	  };

export type GridState =
	| { readonly kind: "loading"; readonly rows: number; readonly first?: FirstRows | undefined }
	| {
			readonly kind: "ready";
			readonly rows: number;
			readonly columns: readonly ColumnInfo[];
			/** What the document holds beside its rows. */
			readonly about?: unknown;
	  }
	| { readonly kind: "failed"; readonly error: unknown; readonly isMissing: boolean };

export function useGrid(source: Source): { readonly state: GridState; readonly worker: GridWorker } {
	const [state, setState] = useState<GridState>({ kind: "loading", rows: 0 });
	const latest = useRef(source);
	latest.current = source;
	const current = useRef<GridWorker>({ ask: () => new Promise(() => {}) });
	const { key } = source;
	// biome-ignore lint/correctness/useExhaustiveDependencies: a source is its key
	useEffect(() => {
		const worker = startGridWorker(
			(rows, first) =>
				setState((before) => ({
					kind: "loading",
					rows,
					first: first ?? (before.kind === "loading" ? before.first : undefined),
				})),
			(error) => setState({ kind: "failed", error, isMissing: false }),
		);
		current.current = worker;
		setState({ kind: "loading", rows: 0 });
		const begin = async () => {
			const from = latest.current;
			const question: Question =
				"rows" in from
					? { kind: "take", rows: from.rows, first: from.first ?? [] }
					: {
							kind: "load",
							...(await from.request()),
							...(from.member === undefined ? {} : { member: from.member }),
						};
			const { rows, columns, about } = await worker.ask(question, "loaded");
			setState({ kind: "ready", rows, columns, about });
		};
		begin().catch((error: unknown) =>
			setState({
				kind: "failed",
				error,
				isMissing: error instanceof GridRefusal && error.status === 404,
			}),
		);
		return worker.end;
	}, [key]);
	return { state, worker: current.current };
}
