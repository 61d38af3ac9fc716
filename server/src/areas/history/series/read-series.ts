/** Reads a number of the snapshots of a saved query over time. */
import { SERIES_LIMITS, type SeriesQuery } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../../core/errors.ts";
import { loadVisibleQuery } from "../../queries/saved/visible-query.ts";
import {
	countSeriesSnapshots,
	countSteps,
	deleteUnusedDefinitions,
	findSeriesHistory,
	listSeriesRows,
	type SeriesHistory,
	type SeriesSpan,
	type StoredDefinition,
	upsertDefinition,
} from "../sql/series.ts";
import { computeNumbers } from "./compute-numbers.ts";
import { digestDefinition } from "./rules/definition.ts";
import { buildLines, type NumberedStep, type SeriesLine } from "./rules/points.ts";
import type { SeriesDefinition } from "./rules/tally.ts";

/** A series with all that its formats show. */
export interface ReadSeries extends SeriesDefinition {
	readonly queryName: string;
	readonly connection: { readonly id: string; readonly name: string } | null;
	readonly connectionName: string;
	readonly lines: readonly SeriesLine[];
	readonly totalGroups: number;
	readonly snapshots: number;
	readonly missing: number;
	readonly missingReason: string | null;
	readonly pending: number;
	readonly leftOut: number;
}

const EMPTY = {
	connection: null,
	connectionName: "",
	lines: [],
	totalGroups: 0,
	snapshots: 0,
	missing: 0,
	missingReason: null,
	pending: 0,
	leftOut: 0,
} as const;

const REASONS: Readonly<Record<string, string>> = {
	groups: `Some snapshots have more than ${SERIES_LIMITS.groupsPerSnapshot} groups. Group by a field with fewer values.`,
	content: "Some snapshots have no rows any more.",
};

/** Finds the stored definition of a history, or stores it and deletes one that is not used. */
async function keepDefinition(
	ctx: Context,
	historyId: string,
	definition: SeriesDefinition,
): Promise<StoredDefinition> {
	const digest = digestDefinition(definition);
	const { db } = ctx.store;
	const stored = await upsertDefinition(db, { id: ctx.ids.uuid(), historyId, digest, ...definition }, getNow(ctx));
	await deleteUnusedDefinitions(db, historyId, SERIES_LIMITS.definitions);
	return stored;
}

/** Administrators see all connections: who asks for past numbers sees the connection. */
const ANY_VIEWER = { userId: 0, isAdmin: true } as const;

/**
 * Numbers of a span before a run's rows, one per hour and group, for an area that has decided who
 * sees them.
 */
export async function readPastNumbers(
	ctx: Context,
	of: { readonly savedQueryId: string; readonly connectionId: string },
	definition: SeriesDefinition,
	span: SeriesSpan,
	signal: AbortSignal,
): Promise<{ readonly lines: readonly SeriesLine[]; readonly pending: number }> {
	const history = await findSeriesHistory(ctx.store.db, ANY_VIEWER, of);
	if (history === undefined) return { lines: [], pending: 0 };
	const stored = await keepDefinition(ctx, history.id, definition);
	await computeNumbers(ctx, stored, span, signal);
	const { pending } = await countSeriesSnapshots(ctx.store.db, stored, span);
	const rows = await listSeriesRows(ctx.store.db, stored, span, { step: "hour", timezone: "UTC" });
	const { lines } = buildLines(rows, stored.value, SERIES_LIMITS.groupsPerSnapshot);
	return { lines, pending };
}

/** The last snapshot of a day, in UTC. */
export interface DailyNumbers {
	/** Beginning of the day. */
	readonly day: Date;
	/** By group; null if the numbers are not computed yet, or cannot be. */
	readonly numbers: ReadonlyMap<string, number> | null;
	readonly isComputed: boolean;
}

/**
 * Numbers of each day with a snapshot, oldest first, for an area that has decided who sees them.
 */
export async function readDailyNumbers(
	ctx: Context,
	of: { readonly savedQueryId: string; readonly connectionId: string },
	definition: SeriesDefinition,
	from: Date,
	signal: AbortSignal,
): Promise<DailyNumbers[]> {
	const history = await findSeriesHistory(ctx.store.db, ANY_VIEWER, of);
	if (history === undefined) return [];
	const span = { from, to: null };
	const stored = await keepDefinition(ctx, history.id, definition);
	await computeNumbers(ctx, stored, span, signal);
	const rows = await listSeriesRows(ctx.store.db, stored, span, { step: "day", timezone: "UTC" });
	return rows.map(({ at, numbers, is_computed }) => {
		const read = numbers === null ? null : (JSON.parse(numbers) as [string, string][]);
		const byGroup = read && new Map(read.map(([key, number]) => [key, Number(number)]));
		return { day: at, numbers: byGroup, isComputed: is_computed };
	});
}

/** @throws 404, and 400 where the answer would have too many points */
export async function readSeries(
	ctx: Context,
	identity: Identity,
	input: SeriesQuery,
	signal: AbortSignal,
): Promise<ReadSeries> {
	const query = await loadVisibleQuery(ctx.store.db, identity, input.saved_query_id);
	if (query === null) throw buildNotFoundError();
	const definition: SeriesDefinition = {
		value: input.value,
		field: input.field ?? null,
		groupBy: input.group_by ?? null,
	};
	const history = await findSeriesHistory(ctx.store.db, identity, {
		savedQueryId: query.id,
		connectionId: input.controller_connection_id ?? null,
	});
	if (history === undefined) return { ...definition, queryName: query.name, ...EMPTY };
	const span = {
		from: input.from === undefined ? null : new Date(input.from),
		to: input.to === undefined ? null : new Date(input.to),
	};
	const stored = await keepDefinition(ctx, history.id, definition);
	await computeNumbers(ctx, stored, span, signal);
	return { ...definition, queryName: query.name, ...(await readStored(ctx, stored, history, span, input)) };
}

async function readStored(
	ctx: Context,
	stored: StoredDefinition,
	history: SeriesHistory,
	span: SeriesSpan,
	input: SeriesQuery,
) {
	const { db } = ctx.store;
	const counted = await countSeriesSnapshots(db, stored, span);
	const points = counted.snapshots * (stored.groupBy === null ? 1 : input.groups);
	if (input.step === "snapshot" && points > SERIES_LIMITS.points)
		throw buildFieldError(
			"step",
			`The answer could have more than ${SERIES_LIMITS.points} points. Take step=hour or step=day, fewer groups, or a shorter time.`,
		);
	const rows = await listSeriesRows(db, stored, span, input);
	const { lines, total } = buildLines(rows, stored.value, stored.groupBy === null ? 1 : input.groups);
	const failed = rows.find(({ failure }) => failure !== null)?.failure ?? null;
	const failures = rows.filter(({ failure }) => failure !== null).length;
	const { connectionId: id, connectionName: name } = history;
	return {
		connection: id === null ? null : { id, name },
		connectionName: name,
		lines,
		totalGroups: total,
		snapshots: counted.snapshots,
		missing: failures + (await countMissingSteps(ctx, counted, span, input, rows)),
		missingReason: failed === null ? null : (REASONS[failed] ?? null),
		pending: counted.pending,
		leftOut: rows.findLast(({ left_out }) => left_out !== null)?.left_out ?? 0,
	};
}

/** Steps of the time that was asked for without a snapshot; those to come are not missing. */
async function countMissingSteps(
	ctx: Context,
	counted: { readonly first: Date | null; readonly last: Date | null },
	span: SeriesSpan,
	{ step, timezone }: Pick<SeriesQuery, "step" | "timezone">,
	rows: readonly NumberedStep[],
): Promise<number> {
	const first = span.from ?? counted.first;
	const end = span.to === null ? counted.last : new Date(Math.min(span.to.getTime() - 1, ctx.clock.now()));
	if (step === "snapshot" || first === null || end === null || end < first) return 0;
	return (await countSteps(ctx.store.db, { step, timezone }, { first, last: end })) - rows.length;
}
