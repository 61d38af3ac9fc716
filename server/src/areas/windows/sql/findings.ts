/** SQL of findings and expectations of change windows. */
import type { ExpectationInput, FindingList } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type {
	ChangeWindowAcceptancesTable,
	ChangeWindowExpectationsTable,
	ChangeWindowFindingsTable,
} from "../tables.ts";

export type FindingRow = Selectable<ChangeWindowFindingsTable>;
export type ExpectationRow = Selectable<ChangeWindowExpectationsTable>;

export async function listExpectations(db: Db, windowId: string): Promise<ExpectationRow[]> {
	return db
		.selectFrom("change_window_expectations")
		.selectAll()
		.where("window_id", "=", windowId)
		.orderBy("position")
		.execute();
}

export async function deleteExpectations(tx: Tx, windowId: string): Promise<void> {
	await tx.db.deleteFrom("change_window_expectations").where("window_id", "=", windowId).execute();
}

export async function insertExpectations(
	tx: Tx,
	windowId: string,
	all: readonly {
		readonly id: string;
		readonly position: number;
		readonly isLate: boolean;
		readonly data: ExpectationInput;
	}[],
): Promise<void> {
	if (all.length === 0) return;
	const rows: Insertable<ChangeWindowExpectationsTable>[] = all.map(({ id, position, isLate, data }) => ({
		id,
		window_id: windowId,
		position,
		is_late: isLate,
		data: JSON.stringify(data),
	}));
	await tx.db.insertInto("change_window_expectations").values(rows).execute();
}

/** Findings per statement, because a statement has a limited number of parameters. */
const AT_ONCE = 2_000;

export async function insertFindings(tx: Tx, rows: readonly Insertable<ChangeWindowFindingsTable>[]): Promise<void> {
	for (let at = 0; at < rows.length; at += AT_ONCE)
		await tx.db
			.insertInto("change_window_findings")
			.values(rows.slice(at, at + AT_ONCE))
			.execute();
}

export async function deleteFindings(tx: Tx, windowId: string): Promise<void> {
	await tx.db.deleteFrom("change_window_findings").where("window_id", "=", windowId).execute();
}

type AcceptanceRow = Selectable<ChangeWindowAcceptancesTable>;

/** Lists the acceptances of a window, also those of findings that its last verdict lacks. */
export async function listAcceptances(db: Db, windowId: string): Promise<AcceptanceRow[]> {
	return db.selectFrom("change_window_acceptances").selectAll().where("window_id", "=", windowId).execute();
}

/** @param connections the connections that the viewer sees */
export async function listFindingPage(
	db: Db,
	windowId: string,
	connections: readonly string[],
	filter: Pick<FindingList, "class" | "connection" | "item" | "page" | "page_size">,
): Promise<Page<FindingRow>> {
	const conditions: RawBuilder<boolean>[] = [
		sql`f.window_id = ${windowId}`,
		sql`f.connection_id = any(${connections}::uuid[])`,
	];
	if (filter.class !== undefined) conditions.push(sql`f.class = ${filter.class}`);
	if (filter.connection !== undefined) conditions.push(sql`f.connection_id = ${filter.connection}`);
	if (filter.item !== undefined) conditions.push(sql`f.item = ${filter.item}`);
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const query = db.selectFrom("change_window_findings as f").where(where);
	const [{ count }, rows] = await Promise.all([
		query.select(sql<number>`count(*)::integer`.as("count")).executeTakeFirstOrThrow(),
		query.selectAll("f").orderBy("f.position").limit(filter.page_size).offset(getOffset(filter)).execute(),
	]);
	return { count, rows };
}

/** All findings of some connections, in the order of a report. */
export async function listAllFindings(db: Db, windowId: string, connections: readonly string[]): Promise<FindingRow[]> {
	return db
		.selectFrom("change_window_findings")
		.selectAll()
		.where("window_id", "=", windowId)
		.where(sql<boolean>`connection_id = any(${connections}::uuid[])`)
		.orderBy("position")
		.execute();
}

/** The findings that weigh most. */
export async function listFirstFindings(db: Db, windowId: string, most: number): Promise<FindingRow[]> {
	return db
		.selectFrom("change_window_findings")
		.selectAll()
		.where("window_id", "=", windowId)
		.orderBy("position")
		.limit(most)
		.execute();
}

export async function findFinding(db: Db, windowId: string, id: string): Promise<FindingRow | undefined> {
	return db
		.selectFrom("change_window_findings")
		.selectAll()
		.where("window_id", "=", windowId)
		.where("id", "=", id)
		.executeTakeFirst();
}

/** Accepts a finding, and the same finding of later verdicts. */
export async function acceptFindingRow(
	tx: Tx,
	{ id, window_id, fingerprint }: Pick<FindingRow, "id" | "window_id" | "fingerprint">,
	{ by, at, reason }: { readonly by: string; readonly at: Date; readonly reason: string },
): Promise<void> {
	const accepted = { accepted_by: by, accepted_at: at, reason };
	await tx.db.updateTable("change_window_findings").set(accepted).where("id", "=", id).execute();
	await tx.db
		.insertInto("change_window_acceptances")
		.values({ window_id, fingerprint, ...accepted })
		.onConflict((conflict) => conflict.columns(["window_id", "fingerprint"]).doUpdateSet(accepted))
		.execute();
}

/** Numbers of accepted findings of each item and connection. */
export async function countAccepted(
	db: Db,
	windowId: string,
): Promise<{ item: number | null; connection_id: string; count: number }[]> {
	return db
		.selectFrom("change_window_findings")
		.select(["item", "connection_id", sql<number>`count(*)::integer`.as("count")])
		.where("window_id", "=", windowId)
		.where("accepted_by", "is not", null)
		.groupBy(["item", "connection_id"])
		.execute();
}
