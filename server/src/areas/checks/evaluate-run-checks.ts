/** Evaluates checks over the rows of runs. */
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { isStoreDown, type Tx } from "../../core/ports/store.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { findVisibleConnection } from "../fabrics/manage-connections.ts";
import type { BaselineRow, SnapshotOutcome } from "../history/index.ts";
import type { VisibleQuery } from "../queries/saved/index.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import type { EndedRun } from "../runs/background/index.ts";
import { readPackedRows } from "../runs/pipelines/run-standing.ts";
import { type FoundBaselines, findBaseline, readBaselineOutcome } from "./preview-baselines.ts";
import { ACROSS_QUEUE } from "./queue.ts";
import { readFieldKinds } from "./read-rule.ts";
import { type RowsPlace, readTrendPast } from "./read-trends.ts";
import type { Outcome, RowRule, RuleToEvaluate } from "./rules/evaluate.ts";
import type { CheckRow } from "./sql/checks.ts";
import { listActiveQueryChecks } from "./sql/checks.ts";
import type { PackedSource } from "./workers/tasks.ts";
import { evaluateRules } from "./workers/work.ts";
import { getFinding, writeTransitions } from "./write-transitions.ts";

/** Compressed bytes of all rows of one evaluation; unpacked about ten times as much. */
export const PACKED_MAX = 64 * 1024 ** 2;
export const TOO_LARGE =
	"The rows of the query are too many to be evaluated. Narrow the query with a filter, or keep fewer fields.";
const INTERNAL = "The check could not be evaluated because of an internal error.";

const getRule = ({ type, config }: Pick<CheckRow, "type" | "config">): RowRule =>
	({ type, config }) as unknown as RowRule;

/**
 * The outcomes in the order of the checks. Only a lost store or an abort makes it fail.
 * @param place of the rows; null: of several connections
 */
export async function listOutcomes(
	ctx: Context,
	all: readonly (Pick<CheckRow, "owner_id" | "type" | "config"> & Pick<RuleToEvaluate, "sampleRows">)[],
	query: VisibleQuery | null,
	sources: readonly PackedSource[],
	place: RowsPlace | null,
	signal: AbortSignal,
): Promise<Outcome[]> {
	try {
		const rules = all.map(getRule);
		const kinds = await readFieldKinds(ctx, rules, query);
		const owned = [];
		for (const [i, { owner_id: ownerId, sampleRows }] of all.entries()) {
			const rule = rules[i];
			if (rule === undefined) continue;
			const past = await readTrendPast(ctx, rule, place, signal);
			owned.push({ ownerId, rule, kinds: kinds[i] ?? {}, past, ...(sampleRows === undefined ? {} : { sampleRows }) });
		}
		return await evaluateRules(ctx.checkPool, owned, sources, signal);
	} catch (error) {
		// An AppError says that the user has no computing time left.
		if (signal.aborted || isStoreDown(error) || error instanceof AppError) throw error;
		ctx.log.error({ err: error }, "checks could not be evaluated");
		return all.map(() => ({ kind: "refused", error: INTERNAL }));
	}
}

/** For which of the owners the query is there, and on which connections. */
export function createSight(ctx: Context, queryId: string) {
	const identities = new Map<number, Promise<Identity | null>>();
	const connections = new Map<string, Promise<boolean>>();
	async function getIdentity(ownerId: number): Promise<Identity | null> {
		const identity = await findIdentity(ctx, ownerId);
		return identity !== null && (await loadVisibleQuery(ctx.store.db, identity, queryId)) !== null ? identity : null;
	}
	return async (ownerId: number, connectionId: string): Promise<boolean> => {
		const identity = await cachePromise(identities, ownerId, () => getIdentity(ownerId));
		if (identity === null) return false;
		return cachePromise(
			connections,
			`${ownerId}:${connectionId}`,
			async () => (await findVisibleConnection(ctx, identity, connectionId)) !== null,
		);
	};
}

/** The checks of a run that look at one connection. */
async function listChecks(ctx: Context, run: EndedRun): Promise<CheckRow[]> {
	const sees = createSight(ctx, run.query.id);
	const found: CheckRow[] = [];
	for (const check of await listActiveQueryChecks(ctx.store.db, run.query.id, false)) {
		const isNamed = check.connection_ids.length === 0 || check.connection_ids.includes(run.connection.id);
		if (isNamed && (await sees(check.owner_id, run.connection.id))) found.push(check);
	}
	return found;
}

async function evaluateRun(
	ctx: Context,
	run: EndedRun,
	all: readonly CheckRow[],
	signal: AbortSignal,
): Promise<Outcome[]> {
	const refuse = (error: string) => all.map((): Outcome => ({ kind: "refused", error }));
	if (!run.success) return refuse(run.errorMessage ?? "The run failed.");
	if (all.length === 0) return [];
	const packs = await readPackedRows(ctx, run.job, PACKED_MAX);
	if (packs === null) return refuse(TOO_LARGE);
	const place = { queryId: run.query.id, connectionId: run.connection.id, at: run.completedAt };
	return listOutcomes(ctx, all, run.currentQuery, [{ connection: run.connection.name, packs }], place, signal);
}

/** The outcomes of a run's checks, before the end of the run is recorded. */
export interface RunChecks {
	/** Earlier snapshots of the query and connection that the rows are compared with. */
	readonly baselines: readonly BaselineRow[];
	/** Checks of the rows, each with its outcome. */
	readonly decided: readonly { readonly check: CheckRow; readonly outcome: Outcome }[];
	/** Checks of the snapshot: decided when it is stored. */
	readonly ofSnapshots: readonly CheckRow[];
	readonly found: FoundBaselines;
}

/**
 * Evaluates the checks of a run that completed or failed. It may be called again for the same run.
 */
export async function evaluateRunChecks(ctx: Context, run: EndedRun, signal: AbortSignal): Promise<RunChecks> {
	const active = await listChecks(ctx, run);
	const all = active.filter(({ type }) => type !== "unchanged");
	const ofSnapshots = active.filter(({ type }) => type === "unchanged");
	const outcomes = await evaluateRun(ctx, run, all, signal);
	const found = await findBaseline(ctx, run, run.success ? ofSnapshots : []);
	return {
		baselines: [...found.values()].flatMap((one) => (one?.kind === "found" ? [one.snapshot] : [])),
		decided: all.flatMap((check, i) => {
			const outcome = outcomes[i];
			return outcome === undefined ? [] : [{ check, outcome }];
		}),
		ofSnapshots,
		found,
	};
}

/** Writes the states of a run's checks in the transaction that records the end of the run. */
export async function writeRunChecks(
	ctx: Context,
	tx: Tx,
	run: EndedRun,
	{ decided, ofSnapshots, found }: RunChecks,
	snapshot: SnapshotOutcome,
): Promise<void> {
	await writeTransitions(ctx, tx, {
		connection: run.connection,
		run: { id: run.jobId, endedAt: run.completedAt },
		inputs: null,
		evaluated: [
			...decided.map(({ check, outcome }) => ({ check, ...getFinding(outcome) })),
			...ofSnapshots.map((check) => ({ check, ...getFinding(readBaselineOutcome(check, found, run, snapshot)) })),
		],
	});
	const across = await listActiveQueryChecks(tx.db, run.query.id, true);
	if (across.length > 0) await ctx.jobs.enqueue(tx, ACROSS_QUEUE, { queryId: run.query.id });
}

function cachePromise<K, V>(known: Map<K, Promise<V>>, key: K, ask: () => Promise<V>): Promise<V> {
	const answer = known.get(key) ?? ask();
	known.set(key, answer);
	return answer;
}
