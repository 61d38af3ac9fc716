/**
 * Evaluates rules over the rows of runs, which come as they are stored. One chunk at a time is
 * unpacked, so that patterns of users and large results cost this thread's time only.
 */
import { brotliDecompressSync } from "node:zlib";
import type { TaskAnswer } from "../../../core/workers/serve.ts";
import { evaluateRules, type Outcome, type RuleToEvaluate } from "../rules/evaluate.ts";
import { countGroupRows, type GroupRows } from "../rules/group-rows.ts";

interface EvaluationTask {
	readonly rules: readonly RuleToEvaluate[];
	readonly sources: readonly PackedSource[];
}

export interface PackedSource {
	/** The connection's name. */
	readonly connection: string;
	/** JSON objects with commas between them, compressed by brotli. */
	readonly packs: readonly Uint8Array[];
}

interface GroupTask {
	readonly fields: readonly string[];
	/** Packs of rows, as in `PackedSource`. */
	readonly packs: readonly Uint8Array[];
}

function* iteratePages(packs: readonly Uint8Array[]): Generator<Buffer> {
	for (const pack of packs) yield brotliDecompressSync(pack);
}

export const checkTasks = {
	evaluate: ({ rules, sources }: EvaluationTask): TaskAnswer<Outcome[]> => ({
		value: evaluateRules(
			rules,
			sources.map(({ connection, packs }) => ({ connection, pages: () => iteratePages(packs) })),
		),
	}),
	/** Counts rows by the values of fields; null for too many groups. */
	countGroups: ({ fields, packs }: GroupTask): TaskAnswer<GroupRows[] | null> => ({
		value: countGroupRows(fields, iteratePages(packs)),
	}),
};
export type CheckTasks = typeof checkTasks;
