/**
 * SQL of the process that carries out an import. It holds the import by a lease with a token. Every
 * write here names the token, and changes nothing if another process holds the import or the import
 * has ended.
 */
import { sql, type Updateable } from "kysely";
import { hasPassed } from "../../../../core/deadline-sql.ts";
import { LeaseLost } from "../../../../core/lease.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { ModelImportRunsTable } from "../tables.ts";
import { LEASE_LONGEST_MS, type RunRow } from "./imports.ts";

/** The result of fetching a class. */
export interface Outcome {
	readonly name: string;
	readonly state: "done" | "not_found" | "failed";
	readonly source_version: string | null;
	readonly attempted_versions: readonly string[];
	readonly http_status_last: number | null;
	readonly last_error: string;
	/** Tries beyond the first. */
	readonly retries: number;
	readonly properties: number;
}

/** Results that are stored together. */
export interface Batch {
	readonly outcomes: readonly Outcome[];
	/** Classes that were not known before. */
	readonly found: readonly string[];
	readonly records: readonly { readonly payload: Uint8Array; readonly classes: number }[];
	/** Classes that are being fetched now. */
	readonly window: readonly string[];
}

export interface Hold {
	readonly runId: string;
	readonly token: string;
}

interface Known {
	readonly names: readonly string[];
	readonly pending: readonly string[];
}

const updateHeldRun = (db: Db, { runId, token }: Hold) =>
	db
		.updateTable("model_import_runs")
		.where("id", "=", runId)
		.where("lease_token", "=", token)
		.where("state", "in", ["running", "cancelling"]);

/** Takes an import without a holder. Undefined if it has ended or is held. */
export async function claimImport(
	db: Db,
	{ runId, token }: Hold,
	now: Date,
	expires: Date,
): Promise<RunRow | undefined> {
	return db
		.updateTable("model_import_runs")
		.set((eb) => ({
			state: sql`case when state = 'pending' then 'running' else state end`,
			lease_token: token,
			lease_expires_at: expires,
			started_at: eb.fn.coalesce("started_at", sql<Date>`${now}`),
			taken_up_at: now,
			taken_up_count: sql`completed_count + not_found_count + failed_count`,
			attempts: eb("attempts", "+", 1),
		}))
		.where("id", "=", runId)
		.where("state", "in", ["pending", "running", "cancelling"])
		.where((eb) => eb.or([eb("lease_token", "is", null), hasPassed("lease_expires_at", now, LEASE_LONGEST_MS)]))
		.returningAll()
		.executeTakeFirst();
}

/** Keeps it for longer; whether it is to be stopped. @throws LeaseLost */
export async function renewImportLease(db: Db, hold: Hold, expires: Date): Promise<boolean> {
	const row = await updateHeldRun(db, hold)
		.set({ lease_expires_at: expires })
		.returning("cancel_requested")
		.executeTakeFirst();
	if (row === undefined) throw new LeaseLost();
	return row.cancel_requested;
}

/** Gives it back, to go on later. */
export async function releaseImport(db: Db, { runId, token }: Hold, counts: boolean): Promise<void> {
	await db
		.updateTable("model_import_runs")
		.set((eb) => ({
			lease_token: null,
			lease_expires_at: null,
			...(counts ? {} : { attempts: eb.fn<number>("greatest", [eb("attempts", "-", 1), eb.lit(0)]) }),
		}))
		.where("id", "=", runId)
		.where("lease_token", "=", token)
		.execute();
}

/**
 * Changes the import; in a transaction this also keeps others from taking it until its end.
 * @throws LeaseLost
 */
export async function updateHeldImport(db: Db, hold: Hold, values: Updateable<ModelImportRunsTable>): Promise<void> {
	const row = await updateHeldRun(db, hold).set(values).returning("id").executeTakeFirst();
	if (row === undefined) throw new LeaseLost();
}

/** All classes that are known, and those still to be fetched. */
export async function listKnownClasses(db: Db, runId: string): Promise<Known> {
	const rows = await db
		.selectFrom("model_import_jobs")
		.select(["class_name", "state"])
		.where("run_id", "=", runId)
		.orderBy("id")
		.execute();
	return {
		names: rows.map(({ class_name }) => class_name),
		pending: rows
			.filter(({ state }) => state === "pending" || state === "in-progress")
			.map(({ class_name }) => class_name),
	};
}

/**
 * Stores what came together: counts first, which also proves that the import is still ours.
 * Whether it is to be stopped. @throws LeaseLost
 */
export async function storeFetchedClasses(
	tx: Tx,
	hold: Hold,
	now: Date,
	{ outcomes, found, records, window }: Batch,
): Promise<boolean> {
	const count = (of: (outcome: Batch["outcomes"][number]) => boolean): number => outcomes.filter(of).length;
	const properties = outcomes.reduce((sum, outcome) => sum + outcome.properties, 0);
	const fallbacks = count(
		({ state, source_version, attempted_versions }) => state === "done" && source_version !== attempted_versions[0],
	);
	const row = await updateHeldRun(tx.db, hold)
		.set((eb) => ({
			total_classes: eb("total_classes", "+", found.length),
			completed_count: eb(
				"completed_count",
				"+",
				count(({ state }) => state === "done"),
			),
			fallback_count: eb("fallback_count", "+", fallbacks),
			not_found_count: eb(
				"not_found_count",
				"+",
				count(({ state }) => state === "not_found"),
			),
			failed_count: eb(
				"failed_count",
				"+",
				count(({ state }) => state === "failed"),
			),
			property_count: eb("property_count", "+", properties),
			attempts: 1,
		}))
		.returning("cancel_requested")
		.executeTakeFirst();
	if (row === undefined) throw new LeaseLost();
	await insertJobs(tx, hold.runId, found, now);
	if (records.length > 0) {
		const rows = records.map(({ payload, classes }) => ({
			run_id: hold.runId,
			class_count: classes,
			payload: Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength),
		}));
		await tx.db.insertInto("model_records").values(rows).execute();
	}
	await updateOutcomes(tx, hold.runId, outcomes, now);
	if (window.length > 0) {
		await tx.db
			.updateTable("model_import_jobs")
			.set({ state: "in-progress" })
			.where("run_id", "=", hold.runId)
			.where("class_name", "in", window)
			.where("state", "=", "pending")
			.execute();
	}
	return row.cancel_requested;
}

/** The classes to begin with. */
export async function insertFirstClasses(tx: Tx, hold: Hold, seeds: readonly string[], now: Date): Promise<void> {
	const made = await insertJobs(tx, hold.runId, seeds, now);
	await updateHeldRun(tx.db, hold)
		.set((eb) => ({ total_classes: eb("total_classes", "+", made), phase: "downloading" }))
		.execute();
}

async function insertJobs(tx: Tx, runId: string, names: readonly string[], now: Date): Promise<number> {
	if (names.length === 0) return 0;
	const { numAffectedRows } = await sql`
		insert into model_import_jobs (run_id, class_name, updated_at)
		select ${runId}::uuid, name, ${now}::timestamptz from unnest(${names}::text[]) with ordinality as n (name, place) order by place
		on conflict do nothing
	`.execute(tx.db);
	return Number(numAffectedRows ?? 0);
}

/**
 * All of them are there. As an insert that meets them they are found one by one by their key; an
 * update would join them with all of the run's each time.
 */
async function updateOutcomes(tx: Tx, runId: string, outcomes: Batch["outcomes"], now: Date): Promise<void> {
	if (outcomes.length === 0) return;
	await sql`
		insert into model_import_jobs as j (
			run_id, class_name, state, source_version, attempted_versions, http_status_last, last_error, retry_count, updated_at
		)
		select ${runId}::uuid, name, state, source_version, attempted_versions, http_status_last, last_error, retries, ${now}::timestamptz
		from json_to_recordset(${JSON.stringify(outcomes)}::json) as o (
			name text, state text, source_version text, attempted_versions text[], http_status_last integer, last_error text, retries integer
		)
		on conflict (run_id, class_name) do update
		set state = excluded.state, source_version = excluded.source_version, attempted_versions = excluded.attempted_versions,
			http_status_last = excluded.http_status_last, last_error = excluded.last_error,
			retry_count = j.retry_count + excluded.retry_count, updated_at = excluded.updated_at
	`.execute(tx.db);
}
