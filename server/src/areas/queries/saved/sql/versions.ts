/** SQL of the versions of saved queries, which hold their canvases. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { Version } from "../rules/versioning.ts";
import type { SavedQueryVersionsTable } from "../tables.ts";

export type VersionRow = Selectable<SavedQueryVersionsTable>;
export type VersionHead = Omit<VersionRow, "flow_data" | "post_processors" | "variables">;
type Content = Pick<Insertable<SavedQueryVersionsTable>, "flow_data" | "post_processors" | "variables" | "hash">;

export async function findVersionRow(db: Db, queryId: string, version: Version): Promise<VersionRow | undefined> {
	return db
		.selectFrom("saved_query_versions")
		.selectAll()
		.where("query_id", "=", queryId)
		.where("major", "=", version.major)
		.where("minor", "=", version.minor)
		.executeTakeFirst();
}

/**
 * The versions up to this one, oldest first, and the canvas of this one only. Versions that are
 * saved meanwhile are not included.
 */
export async function listVersionsUpTo(
	db: Db,
	queryId: string,
	{ major, minor }: Version,
): Promise<{ history: VersionHead[]; last?: VersionRow }> {
	const ofLast = <C extends "flow_data" | "post_processors" | "variables">(column: C) =>
		sql<VersionRow[C]>`case when (major, minor) = (${major}, ${minor}) then ${sql.ref(column)} end`.as(column);
	const history = await db
		.selectFrom("saved_query_versions")
		.select(["query_id", "major", "minor", "hash", "changes", "created_at", "created_by"])
		.select([ofLast("flow_data"), ofLast("post_processors"), ofLast("variables")])
		.where("query_id", "=", queryId)
		.where(sql<boolean>`(major, minor) <= (${major}, ${minor})`)
		.orderBy("major")
		.orderBy("minor")
		.execute();
	const last = history.at(-1);
	return { history, ...(last?.major === major && last.minor === minor && { last }) };
}

export async function insertQueryVersion(tx: Tx, row: Insertable<SavedQueryVersionsTable>): Promise<void> {
	await tx.db.insertInto("saved_query_versions").values(row).execute();
}

export async function insertQueryVersions(tx: Tx, rows: readonly Insertable<SavedQueryVersionsTable>[]): Promise<void> {
	await tx.db.insertInto("saved_query_versions").values(rows).execute();
}

/** Replaces the content of a version: for changes of layout and variables only. */
export async function replaceQueryVersion(tx: Tx, queryId: string, version: Version, content: Content): Promise<void> {
	await tx.db
		.updateTable("saved_query_versions")
		.set(content)
		.where("query_id", "=", queryId)
		.where("major", "=", version.major)
		.where("minor", "=", version.minor)
		.execute();
}
