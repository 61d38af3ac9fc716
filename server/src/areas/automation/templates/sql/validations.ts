/** SQL of checks of rows. */
import type { ValidationResult } from "@weft/contracts";
import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationValidationsTable } from "../../tables.ts";

type ValidationRow = Selectable<AutomationValidationsTable>;

export async function insertValidation(tx: Tx, row: Insertable<AutomationValidationsTable>): Promise<void> {
	await tx.db.insertInto("automation_validations").values(row).execute();
}

export async function findValidation(db: Db, userId: number, id: string): Promise<ValidationRow | undefined> {
	return db
		.selectFrom("automation_validations")
		.selectAll()
		.where("id", "=", id)
		.where("user_id", "=", userId)
		.executeTakeFirst();
}

/** A check that is not done, now under way. */
export async function beginValidation(db: Db, id: string): Promise<ValidationRow | undefined> {
	return db
		.updateTable("automation_validations")
		.set({ state: "PROGRESS", progress: 10 })
		.where("id", "=", id)
		.where("state", "in", ["PENDING", "PROGRESS"])
		.returningAll()
		.executeTakeFirst();
}

export async function endValidation(
	db: Db,
	id: string,
	at: Date,
	end: { readonly result: ValidationResult } | { readonly error: string },
): Promise<void> {
	const values =
		"result" in end
			? { state: "SUCCESS" as const, result: JSON.stringify(end.result) }
			: { state: "FAILURE" as const, error: end.error };
	await db
		.updateTable("automation_validations")
		.set({ ...values, progress: 100, rows_sealed: null, rules: "null", finished_at: at })
		.where("id", "=", id)
		.where("state", "in", ["PENDING", "PROGRESS"])
		.execute();
}

export async function purgeValidations(db: Db, before: Date): Promise<void> {
	await sql`delete from automation_validations where created_at < ${before}`.execute(db);
}
