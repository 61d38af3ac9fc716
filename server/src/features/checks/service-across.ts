/**
 * Evaluates rules across connections over the latest recorded run of each. May be called any number
 * of times: runs that were evaluated change nothing.
 */
import { CHECK_LIMITS } from "@weft/contracts";
import type { LatestRun } from "../query-runs/index.ts";
import type { CheckDependencies } from "./dependencies.ts";
import type { Outcome } from "./domain/evaluate.ts";
import type { AcrossTask } from "./queue.ts";
import type { CheckRow } from "./repo.ts";
import { holdActiveChecks, listActiveQueryChecks } from "./repo.ts";
import { listEvaluatedChecks, lockConnectionStates } from "./repo-states.ts";
import { type EvaluationService, PACKED_MAX } from "./service-evaluate.ts";
import { getFinding, type Transitions } from "./service-transitions.ts";
import type { PackedSource } from "./workers/tasks.ts";

export type AcrossDeps = Pick<
	CheckDependencies,
	"store" | "getPackedRows" | "queryRuns" | "getIdentity" | "findQuery"
> & {
	readonly transitions: Transitions;
	readonly evaluation: Pick<EvaluationService, "getOutcomes" | "createSight">;
};

/** Checks that look at the same runs. */
interface Group {
	readonly inputs: string;
	readonly runs: readonly [LatestRun, ...LatestRun[]];
	readonly checks: CheckRow[];
}

export function createAcross(deps: AcrossDeps) {
	const { store, queryRuns } = deps;

	/** Runs that a check looks at; null while a named connection has none that its owner sees. */
	async function listRuns(
		check: CheckRow,
		latest: readonly LatestRun[],
		sees: ReturnType<EvaluationService["createSight"]>,
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

	async function listGroups(queryId: string, latest: readonly LatestRun[]): Promise<Group[]> {
		const sees = deps.evaluation.createSight(queryId);
		const groups = new Map<string, Group>();
		for (const check of await listActiveQueryChecks(store.db, queryId, true)) {
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
	async function listOutcomes(group: Group, queryId: string, signal: AbortSignal): Promise<Outcome[] | null> {
		const refuse = (error: string) => group.checks.map((): Outcome => ({ kind: "refused", error }));
		const failed = group.runs.find(({ error }) => error !== null);
		if (failed !== undefined) return refuse(`The run on "${failed.connection.name}" failed: ${failed.error}`);
		const sources: PackedSource[] = [];
		let left = PACKED_MAX;
		for (const { runId, connection } of group.runs) {
			const packs = await deps.getPackedRows(runId, left);
			if (packs === null) return null;
			left -= packs.reduce((sum, { length }) => sum + length, 0);
			sources.push({ connection: connection.name, packs });
		}
		const identity = await deps.getIdentity(group.checks[0]?.owner_id ?? 0);
		const query = identity && (await deps.findQuery(identity, queryId));
		return deps.evaluation.getOutcomes(group.checks, query, sources, signal);
	}

	/** The checks of a group whose entries do not show these runs yet. */
	async function findPending(group: Group): Promise<CheckRow[]> {
		const known = await listEvaluatedChecks(store.db, getIds(group.checks), group.inputs);
		return group.checks.filter(({ id }) => !known.has(id));
	}

	return {
		async evaluate(data: unknown, signal: AbortSignal): Promise<void> {
			const { queryId } = data as AcrossTask;
			const latest = await queryRuns.latestRuns(store.db, queryId);
			for (const all of await listGroups(queryId, latest)) {
				const group = { ...all, checks: await findPending(all) };
				if (group.checks.length === 0) continue;
				const outcomes = await listOutcomes(group, queryId, signal);
				if (outcomes === null) continue;
				const newest = group.runs.reduce((a, b) => (b.endedAt > a.endedAt ? b : a));
				await store.transaction(async (tx) => {
					await holdActiveChecks(tx, getIds(group.checks));
					await lockConnectionStates(tx, getIds(group.checks), null);
					// A run that was recorded meanwhile has enqueued this task again.
					if (!isCurrent(group, await queryRuns.latestRuns(tx.db, queryId))) return;
					await deps.transitions.write(tx, {
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
		},
	};
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
