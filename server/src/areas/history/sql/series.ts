/** SQL of numbers over time. */
import type { SeriesStep } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Identity } from "../../../core/caller.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { buildVisibleCondition } from "../../fabrics/sql/visible.ts";
import { visibleTo } from "../../queries/saved/index.ts";
import type { SeriesDefinition } from "../series/rules/tally.ts";

/** The history that a series is of. */
export interface SeriesHistory {
	readonly id: string;
	readonly connectionId: string | null;
	readonly connectionName: string;
}

/** The time that a series covers: from `from` on and before `to`; null is open. */
export interface SeriesSpan {
	readonly from: Date | null;
	readonly to: Date | null;
}

export interface StoredDefinition extends SeriesDefinition {
	readonly id: string;
	readonly historyId: string;
	readonly computingUntil: Date | null;
}

export interface NewDefinition extends SeriesDefinition {
	readonly id: string;
	readonly historyId: string;
	readonly digest: string;
}

/** The snapshot that counts for one step. */
export interface SeriesRow {
	/** The step; of `snapshot` the time of the snapshot. */
	readonly at: Date;
	/** `[[key, number], …]` as JSON text; null while it is computed or with a failure. */
	readonly numbers: string | null;
	readonly left_out: number | null;
	readonly failure: string | null;
	readonly is_computed: boolean;
}

const DEFINITION = [
	"id",
	"history_id as historyId",
	"value",
	"field",
	"group_by as groupBy",
	"computing_until as computingUntil",
] as const;

/**
 * The history of a saved query on a connection, or on that of its latest snapshot (null), with the
 * query's own variable values where there is one. Connections that the viewer does not see have
 * none; those that were deleted are seen.
 */
export async function findSeriesHistory(
	db: Db,
	viewer: Pick<Identity, "userId" | "isAdmin">,
	of: { readonly savedQueryId: string; readonly connectionId: string | null },
): Promise<SeriesHistory | undefined> {
	const { rows } = await sql<SeriesHistory>`
		select h.id, latest.controller_connection_id as "connectionId", latest.controller_connection_name as "connectionName"
		from snapshot_histories h
		cross join lateral (
			select controller_connection_id, controller_connection_name, values_digest, executed_at from snapshots s
			where s.history_id = h.id order by s.position desc limit 1
		) latest
		where h.saved_query_id = ${of.savedQueryId}
			and (${of.connectionId}::uuid is null or latest.controller_connection_id = ${of.connectionId}::uuid)
			and not exists (select from controller_connections c
				where c.id = latest.controller_connection_id and not ${buildVisibleCondition(viewer, "c")})
		order by latest.values_digest is not null, latest.executed_at desc, h.id limit 1`.execute(db);
	return rows[0];
}

/** The newest snapshot of a saved query on a connection. */
export interface NewestSnapshot {
	readonly savedQueryId: string;
	readonly connectionId: string;
	/** When a run last found its rows. */
	readonly seenAt: Date;
}

/**
 * The newest snapshots of queries and active connections that the viewer sees, if their rows are of
 * one of the classes and made with the query's own variable values. The newest one is first; those
 * whose class is not known are last.
 */
export async function listNewestSnapshots(
	db: Db,
	viewer: Pick<Identity, "userId" | "isAdmin">,
	classes: readonly string[],
	limit: number,
): Promise<NewestSnapshot[]> {
	const { rows } = await sql<NewestSnapshot>`
		select h.saved_query_id as "savedQueryId", c.id as "connectionId", greatest(latest.executed_at, h.confirmed_at) as "seenAt"
		from snapshot_histories h
		join saved_queries q on q.id = h.saved_query_id
		cross join lateral (
			select class_name, values_digest, controller_connection_id, executed_at from snapshots s
			where s.history_id = h.id order by s.position desc limit 1
		) latest
		join controller_connections c on c.id = latest.controller_connection_id
		where latest.class_name = any(${[...classes, ""]}::text[]) and latest.values_digest is null and c.is_active
			and ${visibleTo(viewer, "q")} and ${buildVisibleCondition(viewer, "c")}
		order by latest.class_name = '', 3 desc, h.id limit ${limit}`.execute(db);
	return rows;
}

/** Stores a definition if it is new, and notes its use. */
export async function upsertDefinition(db: Db, definition: NewDefinition, now: Date): Promise<StoredDefinition> {
	return db
		.insertInto("snapshot_series_definitions")
		.values({
			id: definition.id,
			history_id: definition.historyId,
			digest: definition.digest,
			value: definition.value,
			field: definition.field,
			group_by: definition.groupBy,
			last_used_at: now,
			computing_until: null,
		})
		.onConflict((conflict) => conflict.columns(["history_id", "digest"]).doUpdateSet({ last_used_at: now }))
		.returning(DEFINITION)
		.executeTakeFirstOrThrow();
}

export async function findDefinition(db: Db, id: string): Promise<StoredDefinition | undefined> {
	return db.selectFrom("snapshot_series_definitions").select(DEFINITION).where("id", "=", id).executeTakeFirst();
}

/** Deletes all definitions of a history but those that were used last. */
export async function deleteUnusedDefinitions(db: Db, historyId: string, keep: number): Promise<void> {
	await sql`
		delete from snapshot_series_definitions where id in (
			select id from snapshot_series_definitions where history_id = ${historyId}
			order by last_used_at desc, id offset ${keep})`.execute(db);
}

export async function updateComputingUntil(db: Db, id: string, until: Date | null): Promise<void> {
	await db.updateTable("snapshot_series_definitions").set({ computing_until: until }).where("id", "=", id).execute();
}

/**
 * The numbers of each snapshot by their key. A plain join goes through all numbers for each
 * snapshot while the store has no statistics of numbers that were computed just now.
 */
const joinNumbers = ({ id }: StoredDefinition) => sql`left join lateral (
	select n.* from snapshot_series n where n.definition_id = ${id} and n.snapshot_id = s.id offset 0) n on true`;

/** Snapshots of a span without numbers, latest first. */
export async function listUncomputed(
	db: Db,
	definition: StoredDefinition,
	span: SeriesSpan,
	limit: number,
): Promise<{ id: string; bytes: number }[]> {
	const { rows } = await sql<{ id: string; bytes: number }>`
		select s.id, s.result_size_bytes as bytes from snapshots s ${joinNumbers(definition)}
		where s.history_id = ${definition.historyId} and ${buildSpanCondition(span)} and n.snapshot_id is null
		order by s.position desc limit ${limit}`.execute(db);
	return rows;
}

export interface NewNumbers {
	readonly snapshotId: string;
	readonly numbers: string | null;
	readonly leftOut: number;
	readonly failure: "groups" | "content" | null;
}

/** Stores the numbers of snapshots that still exist. */
export async function insertNumbers(tx: Tx, definitionId: string, all: readonly NewNumbers[]): Promise<void> {
	const column = <T>(value: (one: NewNumbers) => T): T[] => all.map(value);
	await sql`
		insert into snapshot_series (definition_id, snapshot_id, numbers, left_out, failure)
		select d.id, s.id, n.numbers::json, n.left_out, n.failure
		from unnest(
			${column(({ snapshotId }) => snapshotId)}::uuid[], ${column(({ numbers }) => numbers)}::text[],
			${column(({ leftOut }) => leftOut)}::integer[], ${column(({ failure }) => failure)}::text[]
		) as n(snapshot_id, numbers, left_out, failure)
		join (select s.id from snapshots s where s.id = any(${column(({ snapshotId }) => snapshotId)}::uuid[])
			order by s.id for key share) s on s.id = n.snapshot_id
		join snapshot_series_definitions d on d.id = ${definitionId}
		on conflict do nothing`.execute(tx.db);
}

/** The last snapshot of each step, oldest first, and the number of all snapshots. */
export async function listSeriesRows(
	db: Db,
	definition: StoredDefinition,
	span: SeriesSpan,
	{ step, timezone }: { readonly step: SeriesStep; readonly timezone: string },
): Promise<SeriesRow[]> {
	const at = buildStepExpression(step, timezone);
	const distinct = step === "snapshot" ? sql`` : sql`distinct on (${at})`;
	const order = step === "snapshot" ? sql`s.position` : sql`${at}, s.position desc`;
	const { rows } = await sql<SeriesRow>`
		select ${distinct} ${at} as at, n.numbers::text as numbers, n.left_out, n.failure,
			n.snapshot_id is not null as is_computed
		from snapshots s ${joinNumbers(definition)}
		where s.history_id = ${definition.historyId} and ${buildSpanCondition(span)}
		order by ${order}`.execute(db);
	return rows;
}

/** Number of snapshots in a span, of those without numbers, and times of the first and last. */
export async function countSeriesSnapshots(
	db: Db,
	definition: StoredDefinition,
	span: SeriesSpan,
): Promise<{ snapshots: number; pending: number; first: Date | null; last: Date | null }> {
	const { rows } = await sql<{ snapshots: number; pending: number; first: Date | null; last: Date | null }>`
		select count(*)::integer as snapshots, (count(*) filter (where n.snapshot_id is null))::integer as pending,
			min(s.executed_at) as first, max(s.executed_at) as last
		from snapshots s ${joinNumbers(definition)}
		where s.history_id = ${definition.historyId} and ${buildSpanCondition(span)}`.execute(db);
	return rows[0] ?? { snapshots: 0, pending: 0, first: null, last: null };
}

/** Number of hours or days from one time to another, both included. */
export async function countSteps(
	db: Db,
	{ step, timezone }: { readonly step: "hour" | "day"; readonly timezone: string },
	{ first, last }: { readonly first: Date; readonly last: Date },
): Promise<number> {
	const days = sql`(${last}::timestamptz at time zone ${timezone})::date - (${first}::timestamptz at time zone ${timezone})::date`;
	const hours = sql`extract(epoch from date_trunc('hour', ${last}::timestamptz, ${timezone})
		- date_trunc('hour', ${first}::timestamptz, ${timezone})) / 3600`;
	const { rows } = await sql<{ count: number }>`
		select (${step === "day" ? days : hours})::integer + 1 as count`.execute(db);
	return rows[0]?.count ?? 0;
}

function buildStepExpression(step: SeriesStep, timezone: string): RawBuilder<Date> {
	if (step === "snapshot") return sql<Date>`s.executed_at`;
	return sql<Date>`date_trunc(${sql.lit(step)}, s.executed_at, ${sql.lit(timezone)})`;
}

const buildSpanCondition = ({ from, to }: SeriesSpan) => sql<boolean>`
	(${from}::timestamptz is null or s.executed_at >= ${from}::timestamptz)
	and (${to}::timestamptz is null or s.executed_at < ${to}::timestamptz)`;
