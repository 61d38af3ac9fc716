/** SQL of alerts of schedules that a maintenance or a change window holds. */
import type { Severity } from "@weft/contracts";
import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { CalendarHeldNoticesTable } from "../tables.ts";

export interface HeldNotice extends Selectable<CalendarHeldNoticesTable> {
	/** Whether a run of a schedule failed, or found drift. */
	readonly kind: "schedule" | "drift";
}

/** Beginning of the subjects of drift. */
const DRIFT = "drift:";

/** The drift of a query on a connection as the subject of an alert. */
export const buildDriftSubject = (queryId: string, connectionId: string): string =>
	`${DRIFT}${queryId}:${connectionId}`;

interface NewHeldNotice {
	readonly id: string;
	readonly hold: { readonly id: string; readonly title: string };
	readonly userId: number;
	readonly subject: string;
	readonly severity: Severity;
	readonly title: string;
	readonly addresses?: readonly string[];
	readonly at: Date;
}

/** Holds an alert. Replaces an earlier one of the same subject. */
export async function holdNotice(tx: Tx, notice: NewHeldNotice): Promise<void> {
	const { id, hold, userId, subject, severity, title, addresses = [], at } = notice;
	const values = {
		entry_id: hold.id,
		entry_title: hold.title,
		severity,
		title,
		addresses: [...addresses],
		created_at: at,
	};
	await tx.db
		.insertInto("calendar_held_notices")
		.values({ ...values, id, user_id: userId, subject })
		.onConflict((conflict) => conflict.columns(["user_id", "subject"]).doUpdateSet(values))
		.execute();
}

/** Drops a held alert whose problem is over. */
export async function dropHeldNotice(tx: Tx, userId: number, subject: string): Promise<void> {
	await tx.db
		.deleteFrom("calendar_held_notices")
		.where("user_id", "=", userId)
		.where("subject", "=", subject)
		.execute();
}

/** Lists the holds that have alerts of schedules. */
export async function listNoticeHolds(db: Db): Promise<{ id: string; title: string }[]> {
	const { rows } = await sql<{ id: string; title: string }>`
		select distinct on (entry_id) entry_id as id, entry_title as title from calendar_held_notices`.execute(db);
	return rows;
}

/** Removes and returns the alerts of a hold, the oldest first. */
export async function takeHeldNotices(tx: Tx, holdId: string): Promise<HeldNotice[]> {
	const rows = await tx.db.deleteFrom("calendar_held_notices").where("entry_id", "=", holdId).returningAll().execute();
	return rows
		.sort((a, b) => a.created_at.getTime() - b.created_at.getTime())
		.map((row) => ({ ...row, kind: row.subject.startsWith(DRIFT) ? "drift" : "schedule" }));
}
