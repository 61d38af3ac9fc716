/**
 * Runs the queries of checks now, each once per connection, and reads the states to which these
 * runs led. A state of an earlier run is never taken for an answer.
 */
import type { Check, CheckStateEntry, PipelineJob } from "@weft/contracts";
import { CHECK_TYPES_ACROSS, checkRoutes, pipelineRoutes } from "@weft/contracts/browser";
import { type WeftClient, WeftError } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { describeError } from "../../errors.ts";
import { computeNextPause, FIRST_PAUSE_MS, findProblem, retryRead } from "../runs/runs.ts";
import { buildResult, buildUnknownResult, type CheckResult, NO_PLACE } from "./checks.ts";

/** A check and the ids of the connections to run it on; null: those that the service knows. */
export interface AskedCheck {
	readonly check: Check;
	readonly connectionIds: readonly string[] | null;
}

/** Longest wait for an evaluation across connections after the last run, in milliseconds. */
const ACROSS_MS = 120_000;
const NOT_EVALUATED =
	"The run was not evaluated. Either the check was changed meanwhile, or its owner does not see the connection.";
const NOT_COMPARED =
	"The runs were not evaluated. The check compares its connections, and needs a run on each that its owner sees.";
const DELETED = "The check was deleted meanwhile.";

/** The runs of one query. */
interface QueryRuns {
	/** Connections that the service has chosen; null: none was asked for, or it has refused. */
	readonly chosen: readonly string[] | null;
	/** Why the service has chosen none. */
	readonly problem: string | null;
	/** Ids of runs by connection. */
	readonly runs: ReadonlyMap<string, string>;
	/** Why there is no run, by connection. */
	readonly refusals: ReadonlyMap<string, string>;
}

/** Ended runs by id; null for a run that has not ended in time. */
type EndedRuns = ReadonlyMap<string, PipelineJob | null>;

/**
 * Runs the queries and returns the results of all checks, in no order. Ctrl-C cancels the runs.
 * @param wait longest wait as the user wrote it, for messages
 */
export async function evaluateChecks(
	context: Context,
	asked: readonly AskedCheck[],
	{ waitMs, wait }: { readonly waitMs: number; readonly wait: string },
): Promise<CheckResult[]> {
	const client = await context.client();
	const deadline = context.clock.now() + waitMs;
	const starts: Promise<readonly string[]>[] = [];
	context.onInterrupt(() => cancelRuns(context, client, starts));
	const byQuery = new Map<string, AskedCheck[]>();
	for (const one of asked) byQuery.set(one.check.saved_query, [...(byQuery.get(one.check.saved_query) ?? []), one]);
	const started: (readonly [readonly AskedCheck[], QueryRuns])[] = [];
	for (const checks of byQuery.values()) started.push([checks, await startRuns(client, checks, starts)]);
	const ids = started.flatMap(([, { runs }]) => [...runs.values()]);
	context.note(`${ids.length} ${ids.length === 1 ? "run" : "runs"} started.`);
	const ended = await awaitRuns(context, client, ids, deadline);
	const late = [...ended.values()].filter((run) => run === null).length;
	if (late > 0)
		context.note(`${late} of ${ids.length} runs have not ended within ${wait}. They go on without this command.`);
	const results: CheckResult[] = [];
	for (const [checks, runs] of started)
		for (const one of checks)
			results.push(...(await readResults(context, client, one, { runs, ended, wait, deadline })));
	return results;
}

/** Starts a query once on every connection of its checks. */
async function startRuns(
	client: WeftClient,
	asked: readonly AskedCheck[],
	starts: Promise<readonly string[]>[],
): Promise<QueryRuns> {
	const runs = new Map<string, string>();
	const refusals = new Map<string, string>();
	/** The ids of the started runs, or the sentence of a refusal. */
	const start = async ({ id }: Check, connectionId: string | null): Promise<readonly string[] | string> => {
		const body = connectionId === null ? {} : { controller_connection_ids: [connectionId] };
		const made = client.call(checkRoutes.evaluate, { params: { id }, body }).then((answer) => answer.runs);
		starts.push(made);
		return made.catch((error: unknown) => {
			if (error instanceof WeftError && error.status === 400) return describeError(error).message;
			throw error;
		});
	};
	const open = asked.find(({ connectionIds }) => connectionIds === null);
	const answer = open === undefined ? null : await start(open.check, null);
	let chosen: string[] | null = null;
	if (answer !== null && typeof answer !== "string") {
		chosen = [];
		for (const id of answer) {
			const run = await client.call(pipelineRoutes.detail, { params: { id } });
			runs.set(run.controller_connection_id, id);
			chosen.push(run.controller_connection_id);
		}
	}
	for (const { check, connectionIds } of asked)
		for (const connectionId of connectionIds ?? []) {
			if (runs.has(connectionId) || refusals.has(connectionId)) continue;
			const made = await start(check, connectionId);
			if (typeof made === "string") refusals.set(connectionId, made);
			else for (const id of made) runs.set(connectionId, id);
		}
	return { chosen, problem: typeof answer === "string" ? answer : null, runs, refusals };
}

/** Waits until the runs have ended and their ends are recorded, but no longer than the deadline. */
async function awaitRuns(
	context: Context,
	client: WeftClient,
	ids: readonly string[],
	deadline: number,
): Promise<EndedRuns> {
	const { clock } = context;
	const ended = new Map<string, PipelineJob | null>();
	for (const id of ids) {
		for (let pause = FIRST_PAUSE_MS; ; pause = computeNextPause(pause)) {
			const run = await retryRead(context, () => client.call(pipelineRoutes.detail, { params: { id } }));
			const left = deadline - clock.now();
			if (run.completed_at !== null || left <= 0) {
				ended.set(id, run.completed_at === null ? null : run);
				break;
			}
			context.progress(`${ended.size} of ${ids.length} runs have ended …`);
			await clock.sleep(Math.min(pause, left));
		}
	}
	return ended;
}

interface Outcome {
	readonly runs: QueryRuns;
	readonly ended: EndedRuns;
	readonly wait: string;
	readonly deadline: number;
}

async function readResults(
	context: Context,
	client: WeftClient,
	{ check, connectionIds }: AskedCheck,
	outcome: Outcome,
): Promise<CheckResult[]> {
	const { chosen, problem, runs } = outcome.runs;
	const ids = connectionIds ?? chosen;
	if (ids === null) return [buildUnknownResult(check, problem ?? NOT_EVALUATED, NO_PLACE, null)];
	if (CHECK_TYPES_ACROSS.includes(check.type)) return [await readAcross(context, client, check, ids, outcome)];
	const current = await readCheck(context, client, check.id);
	return ids.map((id) => {
		const runId = runs.get(id) ?? null;
		const run = runId === null ? null : (outcome.ended.get(runId) ?? null);
		const place = { id, name: run?.controller_connection_name ?? findConnectionName(check, id) };
		const obstacle = current === null ? DELETED : findObstacle(id, outcome);
		if (obstacle !== null || run === null) return buildUnknownResult(check, obstacle ?? NOT_EVALUATED, place, runId);
		const entry = current?.states.find(({ controller_connection_id }) => controller_connection_id === id);
		if (entry === undefined || !isOfRun(entry, run))
			return buildUnknownResult(check, run.status === "failed" ? findProblem(run) : NOT_EVALUATED, place, runId);
		return buildResult(check, entry);
	});
}

/** Whether the entry shows the run, or a later one. */
const isOfRun = ({ last_run, last_evaluated_at }: CheckStateEntry, { id, completed_at }: PipelineJob): boolean =>
	last_run === id || Date.parse(last_evaluated_at ?? "") > Date.parse(completed_at ?? "");

/** Why the check has no run to evaluate on the connection; null if it has one. */
function findObstacle(connectionId: string, { runs: { runs, refusals }, ended, wait }: Outcome): string | null {
	const runId = runs.get(connectionId);
	if (runId === undefined) return refusals.get(connectionId) ?? NOT_EVALUATED;
	const run = ended.get(runId) ?? null;
	if (run === null) return `The run has not ended within ${wait}. Wait longer with --wait.`;
	return run.status === "cancelled" ? findProblem(run) : null;
}

/** Reads the result of all connections together, which is evaluated a moment after the runs. */
async function readAcross(
	context: Context,
	client: WeftClient,
	check: Check,
	ids: readonly string[],
	outcome: Outcome,
): Promise<CheckResult> {
	const refuse = (error: string) => buildUnknownResult(check, error, NO_PLACE, null);
	for (const id of ids) {
		const obstacle = findObstacle(id, outcome);
		if (obstacle !== null) return refuse(`${findConnectionName(check, id)}: ${obstacle}`);
	}
	const { clock } = context;
	const needed = ids.flatMap((id) => outcome.runs.runs.get(id) ?? []);
	const until = Math.min(outcome.deadline, clock.now() + ACROSS_MS);
	for (let pause = FIRST_PAUSE_MS; ; pause = computeNextPause(pause)) {
		const current = await readCheck(context, client, check.id);
		if (current === null) return refuse(DELETED);
		const entry = current.states.find(({ controller_connection_id }) => controller_connection_id === null);
		if (entry !== undefined && needed.every((id) => entry.runs.includes(id))) return buildResult(check, entry);
		const left = until - clock.now();
		if (left <= 0) return refuse(NOT_COMPARED);
		context.progress(`${check.name}: evaluating …`);
		await clock.sleep(Math.min(pause, left));
	}
}

/** Reads the check as it is now. Returns null if it is deleted. */
async function readCheck(context: Context, client: WeftClient, id: string): Promise<Check | null> {
	return retryRead(context, () => client.call(checkRoutes.detail, { params: { id } })).catch((error: unknown) => {
		if (error instanceof WeftError && error.status === 404) return null;
		throw error;
	});
}

/** Finds the name of a connection in the states of a check. Returns the id if no state has it. */
const findConnectionName = ({ states }: Check, id: string): string =>
	states.find(({ controller_connection_id }) => controller_connection_id === id)?.controller_connection_name ?? id;

async function cancelRuns(
	context: Context,
	client: WeftClient,
	starts: readonly Promise<readonly string[]>[],
): Promise<void> {
	const made = await Promise.allSettled(starts);
	for (const id of made.flatMap((one) => (one.status === "fulfilled" ? one.value : [])))
		try {
			await client.call(pipelineRoutes.cancel, { params: { id } }, { isSafe: true });
			context.note(`Run ${id} cancelled on the server.`);
		} catch (error) {
			// 400: the run has ended.
			if (!(error instanceof WeftError && error.status === 400)) throw error;
		}
}
