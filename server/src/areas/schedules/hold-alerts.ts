/** Alerts of schedules during maintenance: held until its end, and dropped once they are over. */
import type { Severity } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findHold, listHolds } from "../calendar/find-hold.ts";
import { dropHeldNotice, holdNotice } from "../calendar/sql/held-notices.ts";
import type { ExecutionRow } from "./sql/runs.ts";
import { findTaskSettings, type TaskRow } from "./sql/tasks.ts";

interface Alert {
	readonly severity: Severity;
	readonly title: string;
}

const getTaskSubject = ({ id }: Pick<TaskRow, "id">): string => `scheduled_task:${id}`;

/**
 * Holds the alert of a run that failed only where there is maintenance. Returns whether it is held.
 * A later run without a failure drops it.
 */
export async function holdRunAlert(
	ctx: Context,
	tx: Tx,
	task: TaskRow,
	executions: readonly ExecutionRow[],
	alert: Alert,
): Promise<boolean> {
	const failed = executions.filter(({ status }) => status === "failed");
	if (failed.length === 0) {
		await dropHeldNotice(tx, task.owner_id, getTaskSubject(task));
		return false;
	}
	const holds = await listHolds(tx.db, getNow(ctx));
	const found = failed.map(({ connection_id }) => findHold(holds, [connection_id]));
	const [entry] = found;
	if (entry === undefined || entry === null || found.includes(null)) return false;
	const isMailed = task.email_on_failure && (await findTaskSettings(tx.db)).email_enabled;
	await holdNotice(tx, {
		severity: alert.severity,
		title: alert.title,
		id: ctx.ids.uuid(),
		entry,
		userId: task.owner_id,
		subject: getTaskSubject(task),
		addresses: isMailed ? task.email_recipients : [],
		at: getNow(ctx),
	});
	return true;
}

/** Holds the alert of drift on a connection. Returns whether it is held. */
export async function holdDriftAlert(
	ctx: Context,
	tx: Tx,
	of: { readonly ownerId: number; readonly queryId: string; readonly connectionId: string },
	alert: Alert,
): Promise<boolean> {
	const entry = findHold(await listHolds(tx.db, getNow(ctx)), [of.connectionId]);
	if (entry === null) return false;
	const subject = `drift:${of.queryId}:${of.connectionId}`;
	await holdNotice(tx, { ...alert, id: ctx.ids.uuid(), entry, userId: of.ownerId, subject, at: getNow(ctx) });
	return true;
}
