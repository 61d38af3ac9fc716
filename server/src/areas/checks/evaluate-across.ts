/**
 * Evaluates rules across connections over the latest recorded run of each. May be called any number
 * of times: runs that were evaluated change nothing.
 */
import { CHECK_LIMITS } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import type { LatestRun } from "../runs/background/index.ts";
import { listLatestRuns } from "../runs/background/sql.ts";
import { readPackedRows } from "../runs/pipelines/run-standing.ts";
import { findRun } from "../runs/pipelines/sql/runs.ts";
import { createSight, listOutcomes, PACKED_MAX } from "./evaluate-run-checks.ts";
import type { AcrossTask } from "./queue.ts";
import type { Outcome } from "./rules/evaluate.ts";
import type { CheckRow } from "./sql/checks.ts";
import { holdActiveChecks, listActiveQueryChecks } from "./sql/checks.ts";
import { listEvaluatedChecks, lockConnectionStates } from "./sql/states.ts";
import type { PackedSource } from "./workers/tasks.ts";
import { getFinding, writeTransitions } from "./write-transitions.ts";

/** Checks that look at the same runs. */
interface Group {
	readonly inputs: string;
	readonly runs: readonly [LatestRun, ...LatestRun[]];
	readonly checks: CheckRow[];
}

/** Runs that a check looks at; null while a named connection has none that its owner sees. */
async function listRuns(
	check: CheckRow,
	latest: readonly LatestRun[],
	sees: ReturnType<typeof createSight>,
): Promise<[LatestRun, ...LatestRun[]] | null> {
	const found: LatestRun[] = [];
	for (const run of latest) {
		const isNamed = check.connection_ids.length === 0 || check.connection_ids.includes(run.connection.id);
		if (isNamed && (await sees(check.owner_id, run.connection.id))) found.push(run);
		if (found.length === CHECK_LIMITS.connections) break;
	}
	const [first, ...more] = found;
	return first === undefined || found.length < check.connection_ids.length ? null : [first, ...more];
}

async function listGroups(ctx: Context, queryId: string, latest: readonly LatestRun[]): Promise<Group[]> {
	const sees = createSight(ctx, queryId);
	const groups = new Map<string, Group>();
	for (const check of await listActiveQueryChecks(ctx.store.db, queryId, true)) {
		const runs = await listRuns(check, latest, sees);
		if (runs === null) continue;
		const inputs = getInputs(runs);
		const group = groups.get(inputs) ?? { inputs, runs, checks: [] };
		group.checks.push(check);
		groups.set(inputs, group);
	}
	return [...groups.values()];
}

/** Null while rows are no longer stored: the states stay as they are. */
async function listGroupOutcomes(
	ctx: Context,
	group: Group,
	queryId: string,
	signal: AbortSignal,
): Promise<Outcome[] | null> {
	const refuse = (error: string) => group.checks.map((): Outcome => ({ kind: "refused", error }));
	const failed = group.runs.find(({ error }) => error !== null);
	if (failed !== undefined) return refuse(`The run on "${failed.connection.name}" failed: ${failed.error}`);
	const sources: PackedSource[] = [];
	let left = PACKED_MAX;
	for (const { runId, connection } of group.runs) {
		const packs = await readPackedRows(ctx, await findRun(ctx.store.db, runId), left);
		if (packs === null) return null;
		left -= packs.reduce((sum, { length }) => sum + length, 0);
		sources.push({ connection: connection.name, packs });
	}
	const identity = await findIdentity(ctx, group.checks[0]?.owner_id ?? 0);
	const query = identity && (await loadVisibleQuery(ctx.store.db, identity, queryId));
	return listOutcomes(ctx, group.checks, query, sources, null, signal);
}

/** The checks of a group whose entries do not show these runs yet. */
async function findPending(ctx: Context, group: Group): Promise<CheckRow[]> {
	const known = await listEvaluatedChecks(ctx.store.db, getIds(group.checks), group.inputs);
	return group.checks.filter(({ id }) => !known.has(id));
}

export async function evaluateAcross(ctx: Context, data: unknown, signal: AbortSignal): Promise<void> {
	const { queryId } = data as AcrossTask;
	const latest = await listLatestRuns(ctx.store.db, queryId);
	for (const all of await listGroups(ctx, queryId, latest)) {
		const group = { ...all, checks: await findPending(ctx, all) };
		if (group.checks.length === 0) continue;
		const outcomes = await listGroupOutcomes(ctx, group, queryId, signal);
		if (outcomes === null) continue;
		const newest = group.runs.reduce((a, b) => (b.endedAt > a.endedAt ? b : a));
		await ctx.store.transaction(async (tx) => {
			await holdActiveChecks(tx, getIds(group.checks));
			await lockConnectionStates(tx, getIds(group.checks), null);
			// A run that was recorded meanwhile has enqueued this task again.
			if (!isCurrent(group, await listLatestRuns(tx.db, queryId))) return;
			await writeTransitions(ctx, tx, {
				connection: null,
				run: { id: newest.runId, endedAt: newest.endedAt },
				inputs: group.inputs,
				evaluated: group.checks.flatMap((check, i) => {
					const outcome = outcomes[i];
					return outcome === undefined ? [] : [{ check, ...getFinding(outcome) }];
				}),
			});
		});
	}
}

const getIds = (checks: readonly CheckRow[]): string[] => checks.map(({ id }) => id);

/** `connection=run` of each, in order. */
const getInputs = (runs: readonly LatestRun[]): string =>
	runs
		.map(({ connection, runId }) => `${connection.id}=${runId}`)
		.sort()
		.join(",");

function isCurrent({ runs }: Group, latest: readonly LatestRun[]): boolean {
	const byConnection = new Map(latest.map(({ connection, runId }) => [connection.id, runId]));
	return runs.every(({ connection, runId }) => byConnection.get(connection.id) === runId);
}
