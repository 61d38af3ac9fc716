/** Counts a user's own objects of automation, for quotas. */
import { sql } from "kysely";
import type { Db } from "../../core/ports/store.ts";

type OwnedTable =
	| "automation_connections"
	| "automation_templates"
	| "automation_column_templates"
	| "automation_validation_lists"
	| "automation_regex_patterns";

const REFERENCES = [
	"automation_column_templates",
	"automation_validation_lists",
	"automation_regex_patterns",
] as const satisfies OwnedTable[];

async function countRows(db: Db, table: OwnedTable, userId: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*) as count from ${sql.table(table)} where created_by = ${userId}`.execute(db);
	return rows[0]?.count ?? 0;
}

export const countConnections = (db: Db, userId: number) => countRows(db, "automation_connections", userId);

export const countTemplates = (db: Db, userId: number) => countRows(db, "automation_templates", userId);

/** Column templates, validation lists and regex patterns together. */
export async function countReferences(db: Db, userId: number): Promise<number> {
	let count = 0;
	for (const table of REFERENCES) count += await countRows(db, table, userId);
	return count;
}
