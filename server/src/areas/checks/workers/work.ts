/** Sends the rows of runs to the threads that evaluate checks. */
import { type WorkerPool, WorkerPoolError } from "../../../core/workers/pool.ts";
import { getWorkerUrl } from "../../../core/workers/worker-url.ts";
import type { Outcome, RuleToEvaluate } from "../rules/evaluate.ts";
import type { CheckTasks, PackedSource } from "./tasks.ts";

export type CheckPool = WorkerPool<CheckTasks>;

/** The thread's file, for the pool. */
export const getChecksWorkerUrl = (): URL => getWorkerUrl(import.meta.url, "./checks-worker.ts");

/** Time for one reading of the rows. */
const EVALUATION_MS = 60_000;

interface OwnedRule extends RuleToEvaluate {
	readonly ownerId: number;
}

async function attemptEvaluation(
	pool: Pick<CheckPool, "run">,
	rules: readonly OwnedRule[],
	sources: readonly PackedSource[],
	signal: AbortSignal,
): Promise<Outcome[] | WorkerPoolError> {
	try {
		const plain = rules.map(({ ownerId: _, ...rule }) => rule);
		return await pool.run("evaluate", { rules: plain, sources }, { signal, timeoutMs: EVALUATION_MS });
	} catch (error) {
		if (signal.aborted) throw signal.reason;
		if (!(error instanceof WorkerPoolError) || error.code === "closed" || error.code === "full") throw error;
		return error;
	}
}

/** The outcomes in the order of the rules. */
export async function evaluateRules(
	pool: Pick<CheckPool, "run">,
	rules: readonly OwnedRule[],
	sources: readonly PackedSource[],
	signal: AbortSignal,
): Promise<Outcome[]> {
	if (rules.length === 0) return [];
	const together = await attemptEvaluation(pool, rules, sources, signal);
	if (!(together instanceof WorkerPoolError)) return together;
	// The rules of one owner must not keep those of others from being evaluated.
	const outcomes: Outcome[] = rules.map(() => findRefusal(together));
	const owners = new Set(rules.map(({ ownerId }) => ownerId));
	if (owners.size === 1) return outcomes;
	for (const owner of owners) {
		const places = [...rules.keys()].filter((at) => rules[at]?.ownerId === owner);
		const own = places.flatMap((at) => rules[at] ?? []);
		const found = await attemptEvaluation(pool, own, sources, signal);
		for (const [i, at] of places.entries()) {
			const outcome = found instanceof WorkerPoolError ? findRefusal(found) : found[i];
			if (outcome !== undefined) outcomes[at] = outcome;
		}
	}
	return outcomes;
}

const findRefusal = ({ code }: WorkerPoolError): Outcome => ({
	kind: "refused",
	error:
		code === "timeout"
			? `The evaluation took longer than ${EVALUATION_MS / 1000} s. Simplify the patterns of the checks, or narrow the query with a filter.`
			: "The evaluation needs more memory than there is. Narrow the query with a filter.",
});
