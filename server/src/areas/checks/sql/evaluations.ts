/** SQL of the violations of each evaluation. */
import { CHECK_LIMITS, type CheckSeriesQuery } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { seesConnection, type Viewer } from "./checks.ts";

export interface NewEvaluation {
	readonly checkId: string;
	/** Null: all connections together. */
	readonly connectionId: string | null;
	/** Null: the evaluation failed. */
	readonly violations: number | null;
}

export interface EvaluationRow {
	readonly connection_id: string | null;
	readonly connection_name: string | null;
	readonly at: Date;
	readonly violations: number | null;
}

const DAY_MS = 86_400_000;

/** Adds evaluations, and removes those of the same entries that are too old. */
export async function insertEvaluations(tx: Tx, all: readonly NewEvaluation[], now: Date): Promise<void> {
	if (all.length === 0) return;
	const column = <T>(value: (one: NewEvaluation) => T): T[] => all.map(value);
	const [checks, connections] = [column(({ checkId }) => checkId), column(({ connectionId }) => connectionId)];
	await sql`
		insert into check_evaluations (check_id, connection_id, at, violations)
		select e.check_id, e.connection_id, ${now}::timestamptz, e.violations from unnest(
			${checks}::uuid[], ${connections}::uuid[], ${column(({ violations }) => violations)}::integer[]
		) as e(check_id, connection_id, violations)`.execute(tx.db);
	await sql`
		delete from check_evaluations o using unnest(${checks}::uuid[], ${connections}::uuid[]) as e(check_id, connection_id)
		where o.check_id = e.check_id and o.connection_id is not distinct from e.connection_id
			and o.at < ${new Date(now.getTime() - CHECK_LIMITS.evaluationDays * DAY_MS)}::timestamptz`.execute(tx.db);
}

/** Removes the evaluations of a check, which mean nothing after a change of what it expects. */
export async function deleteEvaluations(tx: Tx, checkId: string): Promise<void> {
	await tx.db.deleteFrom("check_evaluations").where("check_id", "=", checkId).execute();
}

/** Evaluations of the connections that the viewer sees, oldest first, at most `limit`. */
export async function listEvaluations(
	db: Db,
	viewer: Viewer,
	checkId: string,
	{ connection, from, to }: CheckSeriesQuery,
	limit: number,
): Promise<EvaluationRow[]> {
	return db
		.selectFrom("check_evaluations as s")
		.leftJoin("controller_connections as cc", "cc.id", "s.connection_id")
		.select(["s.connection_id", "cc.name as connection_name", "s.at", "s.violations"])
		.where("s.check_id", "=", checkId)
		.where(seesConnection(viewer))
		.$if(connection !== undefined, (query) => query.where("s.connection_id", "=", connection ?? ""))
		.$if(from !== undefined, (query) => query.where("s.at", ">=", new Date(from ?? 0)))
		.$if(to !== undefined, (query) => query.where("s.at", "<", new Date(to ?? 0)))
		.orderBy("s.at")
		.limit(limit)
		.execute();
}
