/**
 * SQL of what templates draw on: column templates, validation lists, regex patterns. They have an
 * owner and may be shared.
 */
import type { OwnedList } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Identity } from "../../../../core/caller.ts";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type {
	AutomationColumnTemplatesTable,
	AutomationRegexPatternsTable,
	AutomationValidationListsTable,
} from "../../tables.ts";

export interface OwnedTables {
	readonly automation_validation_lists: AutomationValidationListsTable;
	readonly automation_regex_patterns: AutomationRegexPatternsTable;
	readonly automation_column_templates: AutomationColumnTemplatesTable;
}
export type OwnedTable = keyof OwnedTables;
/** What rows of all three have. */
interface Common {
	readonly id: string;
	readonly name: string;
	readonly is_public: boolean;
	readonly created_by: number | null;
}
export type OwnedRow<Table extends OwnedTable> = Selectable<OwnedTables[Table]> &
	Common & {
		/** Templates that use it, by themselves or through a column template. */
		readonly usage_count: number;
	};
export type Viewer = Pick<Identity, "userId" | "isAdmin">;

/** Names that are unique, by their constraint. */
export const UNIQUE_NAMES: readonly string[] = ["automation_validation_lists_name", "automation_regex_patterns_name"];

const USAGE_COUNTS: Readonly<Record<OwnedTable, ReturnType<typeof sql<number>>>> = {
	automation_validation_lists: selectUsageCount("list_ids"),
	automation_regex_patterns: selectUsageCount("pattern_ids"),
	automation_column_templates: sql<number>`(select count(*)::int from automation_templates t
		where t.column_template_ids @> array[r.id])`,
};

function selectUsageCount(column: "list_ids" | "pattern_ids") {
	const ids = sql.ref(`t.${column}`);
	const through = sql.ref(`c.${column}`);
	return sql<number>`(select count(*)::int from automation_templates t where ${ids} @> array[r.id]
		or t.column_template_ids && array(select c.id from automation_column_templates c where ${through} @> array[r.id]))`;
}

/**
 * The three tables have their common columns under the same names: one of them stands for all in
 * the types.
 */
const castTable = (table: OwnedTable) => table as "automation_validation_lists";

const buildSeenByCondition = (viewer: Viewer) =>
	viewer.isAdmin ? sql<boolean>`true` : sql<boolean>`(r.is_public or r.created_by = ${viewer.userId})`;

const selectShown = (db: Db, table: OwnedTable) =>
	db
		.selectFrom(`${castTable(table)} as r`)
		.selectAll("r")
		.select(USAGE_COUNTS[table].as("usage_count"));

export async function listReferencePage<Table extends OwnedTable>(
	db: Db,
	table: Table,
	viewer: Viewer,
	filter: OwnedList,
): Promise<Page<OwnedRow<Table>>> {
	const conditions = [buildSeenByCondition(viewer)];
	if (filter.mine === true) conditions.push(sql`r.created_by = ${viewer.userId}`);
	if (filter.mine === false) conditions.push(sql`r.created_by is distinct from ${viewer.userId}`);
	if (filter.search) {
		conditions.push(sql`position(lower(${filter.search}) in lower(r.name || ' ' || r.description)) > 0`);
	}
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const direction = filter.ordering.startsWith("-") ? "desc" : "asc";
	const [total, rows] = await Promise.all([
		db
			.selectFrom(`${castTable(table)} as r`)
			.select(sql<number>`count(*)::int`.as("count"))
			.where(where)
			.executeTakeFirstOrThrow(),
		selectShown(db, table)
			.where(where)
			.orderBy(filter.ordering.endsWith("name") ? sql`lower(r.name)` : "r.created_at", direction)
			.orderBy("r.id", direction)
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows: rows as unknown as OwnedRow<Table>[] };
}

/** The row if the viewer sees it. */
export async function findReferenceRow<Table extends OwnedTable>(
	db: Db,
	table: Table,
	viewer: Viewer,
	id: string,
): Promise<OwnedRow<Table> | undefined> {
	const row = await selectShown(db, table)
		.where("r.id", "=", id)
		.where(buildSeenByCondition(viewer))
		.executeTakeFirst();
	return row as unknown as OwnedRow<Table> | undefined;
}

/**
 * Finds the ids that the viewer can see; a null viewer skips the visibility check. In a
 * transaction the rows cannot be deleted before its end.
 */
export async function listReferencesByIds<Table extends OwnedTable>(
	db: Db,
	table: Table,
	viewer: Viewer | null,
	ids: readonly string[],
): Promise<Selectable<OwnedTables[Table]>[]> {
	if (ids.length === 0) return [];
	const query = db
		.selectFrom(`${castTable(table)} as r`)
		.selectAll("r")
		.where("r.id", "in", [...new Set(ids)]);
	const found = await (viewer === null ? query : query.where(buildSeenByCondition(viewer))).forKeyShare().execute();
	return found as unknown as Selectable<OwnedTables[Table]>[];
}

export async function lockReferenceRow<Table extends OwnedTable>(
	tx: Tx,
	table: Table,
	viewer: Viewer,
	id: string,
): Promise<OwnedRow<Table> | undefined> {
	const locked = await tx.db
		.selectFrom(castTable(table))
		.select("id")
		.where("id", "=", id)
		.forUpdate()
		.executeTakeFirst();
	return locked && findReferenceRow(tx.db, table, viewer, id);
}

/** Rejects on a taken name (unique violation). */
export async function insertReferenceRow<Table extends OwnedTable>(
	tx: Tx,
	table: Table,
	row: Insertable<OwnedTables[Table]>,
): Promise<void> {
	await tx.db
		.insertInto(castTable(table))
		.values(row as unknown as Insertable<AutomationValidationListsTable>)
		.execute();
}

export async function updateReferenceRow<Table extends OwnedTable>(
	tx: Tx,
	table: Table,
	id: string,
	values: Updateable<OwnedTables[Table]>,
): Promise<void> {
	await tx.db
		.updateTable(castTable(table))
		.set(values as unknown as Updateable<AutomationValidationListsTable>)
		.where("id", "=", id)
		.execute();
}

export async function removeReferenceRow(tx: Tx, table: OwnedTable, id: string): Promise<void> {
	await tx.db.deleteFrom(castTable(table)).where("id", "=", id).execute();
}

/** Whether a column template uses it, which may be in no template yet. */
export async function isUsedByColumn(db: Db, table: OwnedTable, id: string): Promise<boolean> {
	if (table === "automation_column_templates") return false;
	const column = sql.ref(table === "automation_validation_lists" ? "list_ids" : "pattern_ids");
	const found = await db
		.selectFrom("automation_column_templates")
		.select("id")
		.where(sql<boolean>`${column} @> array[${id}]::uuid[]`)
		.limit(1)
		.executeTakeFirst();
	return found !== undefined;
}
