/** Evaluates a check that is not saved on the rows of the latest runs. */
import type { CheckPreview, CheckPreviewAnswer } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import { buildFieldError } from "../../core/errors.ts";
import { findVisibleConnection } from "../fabrics/manage-connections.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import type { LatestRun } from "../runs/background/index.ts";
import { listLatestRuns } from "../runs/background/sql.ts";
import { readPackedRows } from "../runs/pipelines/run-standing.ts";
import { findRun } from "../runs/pipelines/sql/runs.ts";
import { listOutcomes, PACKED_MAX, TOO_LARGE } from "./evaluate-run-checks.ts";
import { assertSnapshots, isAcross } from "./manage-checks.ts";
import { listBaselineConnections, previewBaseline } from "./preview-baselines.ts";
import { readRule } from "./read-rule.ts";
import type { ComparedOutcome, Outcome } from "./rules/evaluate.ts";
import type { PackedSource } from "./workers/tasks.ts";

/** Connections that a preview looks at, those with the newest runs. */
const CONNECTIONS_MAX = 8;

/**
 * Rows of others' runs are for those who could run the query themselves: a rule of the caller's
 * own choice reads any of them out.
 */
const canReadRows = (caller: Caller, { ownerId }: LatestRun): boolean =>
	caller.isAdmin || ownerId === caller.userId || isAllowed(caller, "execute_savedquery");

type Result = CheckPreviewAnswer["results"][number];

async function listRuns(
	ctx: Context,
	caller: Caller,
	queryId: string,
	wanted: readonly string[],
): Promise<LatestRun[]> {
	const found: LatestRun[] = [];
	for (const run of await listLatestRuns(ctx.store.db, queryId)) {
		if (found.length === CONNECTIONS_MAX) break;
		if (wanted.length > 0 && !wanted.includes(run.connection.id)) continue;
		if (!canReadRows(caller, run)) continue;
		if ((await findVisibleConnection(ctx, caller, run.connection.id)) !== null) found.push(run);
	}
	return found;
}

/** The rows of a run, or why there are none. */
async function findSource(ctx: Context, { runId, connection, error }: LatestRun): Promise<PackedSource | Outcome> {
	if (error !== null) return { kind: "refused", error: `The run on "${connection.name}" failed: ${error}` };
	const packs = await readPackedRows(ctx, await findRun(ctx.store.db, runId), PACKED_MAX / CONNECTIONS_MAX);
	return packs === null ? { kind: "refused", error: TOO_LARGE } : { connection: connection.name, packs };
}

export async function previewCheck(
	ctx: Context,
	caller: Caller,
	input: CheckPreview,
	signal: AbortSignal,
): Promise<CheckPreviewAnswer> {
	const query = await loadVisibleQuery(ctx.store.db, caller, input.saved_query);
	if (query === null) throw buildFieldError("saved_query", "There is no such query that you can see.");
	assertSnapshots(input.type, query);
	const rule = await readRule(ctx, input.type, input.config ?? {}, query);
	const check = {
		owner_id: caller.userId,
		saved_query_id: query.id,
		connection_ids: input.controller_connection_ids ?? [],
		type: rule.type,
		config: { ...rule.config },
	};
	const connections = await listBaselineConnections(ctx.store.db, check, null);
	const evaluate = async (sources: readonly PackedSource[], run: LatestRun | null): Promise<Outcome> => {
		const place = run && { queryId: query.id, connectionId: run.connection.id, at: run.endedAt };
		const [outcome] = await listOutcomes(ctx, [check], query, sources, place, signal);
		return outcome ?? { kind: "refused", error: TOO_LARGE };
	};
	const runs = await listRuns(ctx, caller, query.id, connections);
	if (rule.type === "unchanged") {
		const results: Result[] = [];
		for (const run of runs) results.push(getResult(run, await previewBaseline(ctx, run, query.id, check, signal)));
		return { results };
	}
	const found = [];
	for (const run of runs) found.push({ run, source: await findSource(ctx, run) });
	if (isAcross(rule.type)) {
		if (found.length === 0) return { results: [] };
		const sources = found.flatMap(({ source }) => ("packs" in source ? [source] : []));
		const refusal = found.map(({ source }) => source).find((source) => "kind" in source);
		return { results: [getResult(null, refusal ?? (await evaluate(sources, null)))] };
	}
	const results: Result[] = [];
	for (const { run, source } of found) {
		results.push(getResult(run, "packs" in source ? await evaluate([source], run) : source));
	}
	return { results };
}

function getResult(run: LatestRun | null, outcome: ComparedOutcome): Result {
	const place = {
		controller_connection_id: run?.connection.id ?? null,
		controller_connection_name: run?.connection.name ?? null,
		run_id: run?.runId ?? null,
	};
	if (outcome.kind === "refused") return { ...place, state: "error", violations: 0, error: outcome.error, sample: [] };
	if (outcome.kind === "undecided") {
		return { ...place, state: "unknown", violations: 0, error: outcome.reason, sample: [] };
	}
	const { violations, sample } = outcome;
	return { ...place, state: violations === 0 ? "ok" : "failing", violations, error: null, sample: [...sample] };
}
