/** Faults of each fabric by severity, from the newest snapshot of a query that reads them. */
import { FAULT_SEVERITIES, PROBLEM_LIMITS, type Problems } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import type { ReachRow } from "../fabrics/sql/reach.ts";
import { type DailyNumbers, readDailyNumbers } from "../history/series/read-series.ts";
import { listNewestSnapshots, type NewestSnapshot } from "../history/sql/series.ts";
import { readContent } from "../queries/flow/index.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import { FAULT_CLASSES, type FaultSource, findFaultSource } from "./rules/fault-source.ts";

type FaultProblems = NonNullable<Problems["faults"]>;
type FabricFaults = FaultProblems["fabrics"][number];

/** Newest snapshots of faults that are considered. */
const MOST_SNAPSHOTS = 1_000;
const TREND_MS = 14 * 24 * 3_600_000;

/** A query whose snapshots count faults. */
interface FaultQuery extends FaultSource {
	readonly id: string;
	readonly name: string;
}

type FoundFaults = NewestSnapshot & { readonly query: FaultQuery };

/** @param connections active ones that the caller sees */
export async function readFaults(
	ctx: Context,
	caller: Caller,
	connections: readonly ReachRow[],
	signal: AbortSignal,
): Promise<FaultProblems> {
	const best = await findBestSnapshots(ctx, caller);
	const byName = [...connections].sort((one, other) => (one.name < other.name ? -1 : 1));
	const found = byName.flatMap(({ id, name }) => {
		const snapshot = best.get(id);
		return snapshot === undefined ? [] : [{ ...snapshot, connection: { id, name } }];
	});
	const missing = byName.filter(({ id }) => !best.has(id)).map(({ id, name }) => ({ id, name }));
	const most = PROBLEM_LIMITS.connections;
	return {
		fabrics: await Promise.all(found.slice(0, most).map((faults) => countFaults(ctx, faults, signal))),
		total: found.length,
		missing: missing.slice(0, most),
		missing_total: missing.length,
	};
}

/** For each connection the newest snapshot that has all faults, or else the newest one. */
async function findBestSnapshots(ctx: Context, caller: Caller): Promise<ReadonlyMap<string, FoundFaults>> {
	const snapshots = await listNewestSnapshots(ctx.store.db, caller, FAULT_CLASSES, MOST_SNAPSHOTS);
	const queries = new Map<string, FaultQuery | null>();
	const best = new Map<string, FoundFaults>();
	for (const snapshot of snapshots) {
		const { savedQueryId: id, connectionId } = snapshot;
		const known = queries.get(id);
		const query = known === undefined ? await findFaultQuery(ctx, caller, id) : known;
		queries.set(id, query);
		if (query === null) continue;
		const before = best.get(connectionId);
		if (before === undefined || (query.isWhole && !before.query.isWhole))
			best.set(connectionId, { ...snapshot, query });
	}
	return best;
}

/** Null if the rows of the query do not count faults. */
async function findFaultQuery(ctx: Context, caller: Caller, id: string): Promise<FaultQuery | null> {
	const query = await loadVisibleQuery(ctx.store.db, caller, id);
	if (query === null) return null;
	const { name, flowData: flow_data, postProcessors: post_processors, variables } = query;
	try {
		const source = findFaultSource(readContent({ flow_data, post_processors, variables }));
		return source && { ...source, id, name };
	} catch (error) {
		// A query of an earlier release may not be valid any more.
		if (error instanceof AppError) return null;
		throw error;
	}
}

async function countFaults(
	ctx: Context,
	{ connection, query, seenAt }: FoundFaults & Pick<FabricFaults, "connection">,
	signal: AbortSignal,
): Promise<FabricFaults> {
	const { id, name, isWhole, value, field, groupBy } = query;
	const of = { savedQueryId: id, connectionId: connection.id };
	const from = new Date(seenAt.getTime() - TREND_MS);
	const days = await readDailyNumbers(ctx, of, { value, field, groupBy }, from, signal);
	const last = days.at(-1);
	const newest = last?.numbers ?? null;
	const before = days.slice(0, -1).findLast(({ numbers }) => numbers !== null);
	return {
		connection,
		saved_query: { id, name },
		series: { value, field, group_by: groupBy },
		is_whole: isWhole,
		at: seenAt.toISOString(),
		is_computing: last?.isComputed === false,
		severities: newest === null ? [] : listSeverities(newest, before),
		compared_to: before?.day.toISOString() ?? null,
	};
}

const listSeverities = (newest: ReadonlyMap<string, number>, before: DailyNumbers | undefined) =>
	FAULT_SEVERITIES.map((severity) => ({
		severity,
		count: newest.get(severity) ?? 0,
		before: before === undefined ? null : (before.numbers?.get(severity) ?? 0),
	}));
