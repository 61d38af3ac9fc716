/** SQL of the states of checks and their transitions. */
import type { CheckEventList, CheckSampleRow, CheckState, UserRef } from "@weft/contracts";
import { type Insertable, type Selectable, sql } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { CheckEventsTable, CheckStatesTable } from "../tables.ts";
import { buildSeenByCondition, type CheckRow, getUserRef, seesConnection, type Viewer } from "./checks.ts";

/** Without the evidence. */
export type StateRow = Omit<Selectable<CheckStatesTable>, "sample" | "held_by">;
export interface ShownState extends StateRow {
	readonly connection_name: string | null;
	readonly acknowledged_by: UserRef | null;
	/** Whether the viewer sees every connection whose rows decided the entry. */
	readonly sees_inputs: boolean;
}
export type NewEvent = Insertable<CheckEventsTable>;
export interface ShownEvent extends Selectable<CheckEventsTable> {
	readonly acknowledged_by: UserRef | null;
	readonly muted_by: UserRef | null;
}
export interface WrittenState extends Omit<StateRow, "muted_until" | "muted_by_id" | "check_id" | "connection_id"> {
	readonly check_id: string;
	readonly sample: readonly CheckSampleRow[];
}
/** An entry of a connection; null: of all together. */
interface NewEntry {
	readonly check: Pick<CheckRow, "id" | "muted_until" | "muted_by_id">;
	readonly connectionId: string | null;
}
interface MetricRow {
	readonly check: string;
	readonly connection: string;
	readonly severity: string;
	readonly state: CheckState;
	readonly violations: number;
}

const COLUMNS = [
	"s.check_id",
	"s.connection_id",
	"s.state",
	"s.since",
	"s.last_evaluated_at",
	"s.last_run_id",
	"s.run_ended_at",
	"s.inputs",
	"s.violations",
	"s.violated_runs",
	"s.error",
	"s.acknowledged_by_id",
	"s.muted_until",
	"s.muted_by_id",
] as const;

/** Of all connections together: the owner's checks look only at connections that the owner sees. */
const seesInputs = (viewer: Viewer) => sql<boolean>`(${viewer.isAdmin} or s.inputs is null
	or exists (select from checks own where own.id = s.check_id and own.owner_id = ${viewer.userId})
	or not exists (
		select from unnest(string_to_array(s.inputs, ',')) as pair
			left join controller_connections ic on ic.id = split_part(pair, '=', 1)::uuid
		where ic.id is null or not (ic.is_public or ic.created_by = ${viewer.userId})))`;

/** Transitions of a check that are kept. */
const EVENTS_MAX = 1_000;

const selectShownStates = (db: Db, viewer: Viewer) =>
	db
		.selectFrom("check_states as s")
		.leftJoin("controller_connections as cc", "cc.id", "s.connection_id")
		.leftJoin("users as a", "a.id", "s.acknowledged_by_id")
		.select([...COLUMNS, "cc.name as connection_name", getUserRef("a").as("acknowledged_by")])
		.select(seesInputs(viewer).as("sees_inputs"))
		.where(seesConnection(viewer));

/** The entries of these checks that the viewer sees. */
export async function listVisibleStates(db: Db, viewer: Viewer, checkIds: readonly string[]): Promise<ShownState[]> {
	return selectShownStates(db, viewer).where(sql<boolean>`s.check_id = any(${checkIds}::uuid[])`).execute();
}

/** One entry with its evidence. */
export async function findStateEvidence(
	db: Db,
	viewer: Viewer,
	checkId: string,
	connectionId: string | null,
): Promise<(ShownState & { readonly sample: CheckSampleRow[] }) | undefined> {
	return selectShownStates(db, viewer)
		.select("s.sample")
		.where("s.check_id", "=", checkId)
		.where(sql<boolean>`s.connection_id is not distinct from ${connectionId}::uuid`)
		.executeTakeFirst();
}

/** Makes the entries that are missing, in the order of the checks. */
export async function insertMissingStates(tx: Tx, entries: readonly NewEntry[], since: Date): Promise<void> {
	const column = <T>(value: (entry: NewEntry) => T): T[] => entries.map(value);
	await sql`
		insert into check_states (check_id, connection_id, state, since, muted_until, muted_by_id)
		select e.check_id, e.connection_id, 'unknown', ${since}::timestamptz, e.muted_until, e.muted_by_id
		from unnest(
			${column(({ check }) => check.id)}::uuid[], ${column(({ connectionId }) => connectionId)}::uuid[],
			${column(({ check }) => check.muted_until)}::timestamptz[], ${column(({ check }) => check.muted_by_id)}::integer[]
		) as e(check_id, connection_id, muted_until, muted_by_id)
		where e.connection_id is null or exists (select from controller_connections c where c.id = e.connection_id)
		order by e.check_id, e.connection_id
		on conflict do nothing
	`.execute(tx.db);
}

/** Removes the entries of other connections than these. */
export async function removeOtherStates(
	tx: Tx,
	checkId: string,
	connectionIds: readonly (string | null)[],
): Promise<void> {
	await tx.db
		.deleteFrom("check_states")
		.where("check_id", "=", checkId)
		.where(
			sql<boolean>`not exists (select from unnest(${connectionIds}::uuid[]) as wanted(id)
				where wanted.id is not distinct from check_states.connection_id)`,
		)
		.execute();
}

/** The entries of one connection, locked in the order of the checks. */
export async function lockConnectionStates(
	tx: Tx,
	checkIds: readonly string[],
	connectionId: string | null,
): Promise<StateRow[]> {
	return tx.db
		.selectFrom("check_states as s")
		.select(COLUMNS)
		.where(sql<boolean>`s.check_id = any(${checkIds}::uuid[])`)
		.where(sql<boolean>`s.connection_id is not distinct from ${connectionId}::uuid`)
		.orderBy("s.check_id")
		.forUpdate()
		.execute();
}

/** Those of the checks whose entry of all connections shows these runs. */
export async function listEvaluatedChecks(
	db: Db,
	checkIds: readonly string[],
	inputs: string,
): Promise<ReadonlySet<string>> {
	const rows = await db
		.selectFrom("check_states")
		.select("check_id")
		.where(sql<boolean>`check_id = any(${checkIds}::uuid[])`)
		.where("connection_id", "is", null)
		.where("inputs", "=", inputs)
		.execute();
	return new Set(rows.map(({ check_id }) => check_id));
}

/** All entries of a check, locked; with `connectionId` only that one. */
export async function lockCheckStates(
	tx: Tx,
	checkId: string,
	connectionId?: string | null,
): Promise<(StateRow & { readonly connection_name: string | null })[]> {
	return tx.db
		.selectFrom("check_states as s")
		.select([
			...COLUMNS,
			sql<string | null>`(select name from controller_connections where id = s.connection_id)`.as("connection_name"),
		])
		.where("s.check_id", "=", checkId)
		.$if(connectionId !== undefined && connectionId !== null, (query) =>
			query.where("s.connection_id", "=", connectionId ?? ""),
		)
		.orderBy("s.connection_id")
		.forUpdate()
		.execute();
}

/** Writes entries of one connection, in one statement. */
export async function writeStates(tx: Tx, connectionId: string | null, rows: readonly WrittenState[]): Promise<void> {
	if (rows.length === 0) return;
	const column = <T>(value: (row: WrittenState) => T): T[] => rows.map(value);
	await sql`
		update check_states s set state = w.state, since = w.since, last_evaluated_at = w.last_evaluated_at,
			last_run_id = w.last_run_id, run_ended_at = w.run_ended_at, inputs = w.inputs, violations = w.violations,
			violated_runs = w.violated_runs, error = w.error,
			acknowledged_by_id = w.acknowledged_by_id, sample = w.sample::json
		from unnest(
			${column((row) => row.check_id)}::uuid[], ${column((row) => row.state)}::text[],
			${column((row) => row.since)}::timestamptz[], ${column((row) => row.last_evaluated_at)}::timestamptz[],
			${column((row) => row.last_run_id)}::uuid[], ${column((row) => row.run_ended_at)}::timestamptz[],
			${column((row) => row.inputs)}::text[], ${column((row) => row.violations)}::integer[],
			${column((row) => row.violated_runs)}::integer[], ${column((row) => row.error)}::text[],
			${column((row) => row.acknowledged_by_id)}::integer[],
			${column((row) => JSON.stringify(row.sample))}::text[]
		) as w(check_id, state, since, last_evaluated_at, last_run_id, run_ended_at, inputs, violations, violated_runs,
			error, acknowledged_by_id, sample)
		where s.check_id = w.check_id and s.connection_id is not distinct from ${connectionId}::uuid
	`.execute(tx.db);
}

/** Makes all entries of a check unknown. */
export async function resetStateRows(tx: Tx, checkId: string, since: Date): Promise<void> {
	await tx.db
		.updateTable("check_states")
		.set({
			state: "unknown",
			since,
			violations: 0,
			violated_runs: 0,
			error: null,
			inputs: null,
			acknowledged_by_id: null,
			sample: "[]",
		})
		.where("check_id", "=", checkId)
		.where("state", "<>", "unknown")
		.execute();
}

/** Adds transitions, and removes the oldest ones above the limit of each check. */
export async function insertCheckEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
	if (events.length === 0) return;
	await tx.db
		.insertInto("check_events")
		.values([...events])
		.execute();
	const ids = [...new Set(events.map(({ check_id }) => check_id))];
	await sql`
		delete from check_events e using unnest(${ids}::uuid[]) as c(id)
		where e.check_id = c.id and (e.at, e.id) <= (
			select o.at, o.id from check_events o where o.check_id = c.id
			order by o.at desc, o.id desc offset ${EVENTS_MAX} limit 1)
	`.execute(tx.db);
}

/** Marks the latest transition of each entry, if it led to the entry's present state. */
export async function markLatestEvents(
	tx: Tx,
	checkId: string,
	connectionIds: readonly (string | null)[],
	values: Partial<
		Pick<
			Selectable<CheckEventsTable>,
			"acknowledged_by_id" | "acknowledged_at" | "comment" | "muted_by_id" | "muted_until"
		>
	>,
): Promise<void> {
	await tx.db
		.updateTable("check_events")
		.set(values)
		.where(
			"id",
			"in",
			sql<string>`(select latest.id from unnest(${connectionIds}::uuid[]) as wanted(id), lateral (
				select e.id from check_events e
				where e.check_id = ${checkId} and e.connection_id is not distinct from wanted.id
				order by e.at desc, e.id desc limit 1) latest)`,
		)
		.execute();
}

/** @param connectionIds null: of all connections */
export async function acknowledgeStates(
	tx: Tx,
	checkId: string,
	connectionIds: readonly (string | null)[],
	userId: number,
): Promise<void> {
	await tx.db
		.updateTable("check_states")
		.set({ acknowledged_by_id: userId })
		.where("check_id", "=", checkId)
		.where(buildConnectionsCondition(connectionIds))
		.execute();
}

export async function muteStates(
	tx: Tx,
	checkId: string,
	connectionIds: readonly (string | null)[],
	values: { readonly muted_until: Date | null; readonly muted_by_id: number | null },
): Promise<void> {
	await tx.db
		.updateTable("check_states")
		.set(values)
		.where("check_id", "=", checkId)
		.where(buildConnectionsCondition(connectionIds))
		.execute();
}

/** Newest first. */
export async function listCheckEvents(
	db: Db,
	viewer: Viewer,
	checkId: string,
	filter: CheckEventList,
): Promise<Page<ShownEvent>> {
	const all = db
		.selectFrom("check_events as s")
		.leftJoin("controller_connections as cc", "cc.id", "s.connection_id")
		.where("s.check_id", "=", checkId)
		.where(seesConnection(viewer))
		.$if(filter.connection !== undefined, (query) => query.where("s.connection_id", "=", filter.connection ?? ""))
		.$if(filter.to_state !== undefined, (query) => query.where("s.to_state", "=", filter.to_state ?? "ok"));
	const [{ count }, rows] = await Promise.all([
		all.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow(),
		all
			.leftJoin("users as a", "a.id", "s.acknowledged_by_id")
			.leftJoin("users as m", "m.id", "s.muted_by_id")
			.selectAll("s")
			.select([getUserRef("a").as("acknowledged_by"), getUserRef("m").as("muted_by")])
			.orderBy("s.at", "desc")
			.orderBy("s.id", "desc")
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count, rows };
}

/** Entries of active checks for Prometheus; the worst first. */
export async function listMetricStates(db: Db, limit: number): Promise<MetricRow[]> {
	return db
		.selectFrom("check_states as s")
		.innerJoin("checks as c", "c.id", "s.check_id")
		.leftJoin("controller_connections as cc", "cc.id", "s.connection_id")
		.select([
			"c.name as check",
			"c.severity",
			"s.state",
			"s.violations",
			sql<string>`coalesce(cc.name, '')`.as("connection"),
		])
		.where("c.is_active", "=", true)
		.orderBy(sql`array_position(array['failing', 'error', 'pending', 'unknown', 'ok'], s.state)`)
		.orderBy("c.name")
		.orderBy("c.id")
		.orderBy("s.connection_id")
		.limit(limit)
		.execute();
}

const buildConnectionsCondition = (ids: readonly (string | null)[]) =>
	sql<boolean>`exists (select from unnest(${ids}::uuid[]) as wanted(id)
		where wanted.id is not distinct from check_states.connection_id)`;

/** Checks that the viewer sees and whose stored evidence holds an object of a connection. */
export async function listChecksWithEvidence(
	db: Db,
	viewer: Viewer,
	of: { connection: { id: string; name: string }; dn: string; limit: number },
): Promise<{ id: string; name: string; state: CheckState; severity: CheckRow["severity"] }[]> {
	const { connection, dn } = of;
	const isHeld = sql<boolean>`exists (select from json_array_elements(s.sample) e
		where (s.connection_id is not null or e->>'connection' = ${connection.name})
		and strpos(replace(e::text, ' ', ''), replace('"dn":' || to_json(${dn}::text)::text, ' ', '')) > 0)`;
	return db
		.selectFrom("check_states as s")
		.innerJoin("checks as c", "c.id", "s.check_id")
		.innerJoin("saved_queries as q", "q.id", "c.saved_query_id")
		.select(["c.id", "c.name", "s.state", "c.severity"])
		.where(buildSeenByCondition(viewer))
		.where((eb) => eb.or([eb("s.connection_id", "=", connection.id), eb("s.connection_id", "is", null)]))
		.where(sql<boolean>`(s.connection_id is not null or ${seesInputs(viewer)})`)
		.where(isHeld)
		.orderBy("c.name")
		.orderBy("c.id")
		.limit(of.limit)
		.execute();
}

interface FailingEvidence extends Pick<CheckRow, "id" | "name" | "severity"> {
	readonly sample: CheckSampleRow[];
	/** Null for the evidence of all connections together. */
	readonly connection_id: string | null;
}

/** Lists visible failing checks by name, with evidence that may be of the connection. */
export async function listFailingEvidence(
	db: Db,
	viewer: Viewer,
	of: { connection: { id: string; name: string }; limit: number },
): Promise<FailingEvidence[]> {
	return db
		.selectFrom("check_states as s")
		.innerJoin("checks as c", "c.id", "s.check_id")
		.innerJoin("saved_queries as q", "q.id", "c.saved_query_id")
		.select(["c.id", "c.name", "c.severity", "s.sample", "s.connection_id"])
		.where("s.state", "=", "failing")
		.where(buildSeenByCondition(viewer))
		.where((eb) => eb.or([eb("s.connection_id", "=", of.connection.id), eb("s.connection_id", "is", null)]))
		.where(sql<boolean>`(s.connection_id is not null or ${seesInputs(viewer)})`)
		.orderBy("c.name")
		.orderBy("c.id")
		.limit(of.limit)
		.execute();
}
