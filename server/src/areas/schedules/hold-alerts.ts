/** Alerts of schedules that are held until the end of a maintenance or change window. */
import type { Severity } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findHold, listHolds } from "../calendar/find-hold.ts";
import { buildDriftSubject, dropHeldNotice, holdNotice } from "../calendar/sql/held-notices.ts";
import type { ExecutionRow } from "./sql/runs.ts";
import { findTaskSettings, type TaskRow } from "./sql/tasks.ts";

interface Alert {
	readonly severity: Severity;
	readonly title: string;
}

const getTaskSubject = ({ id }: Pick<TaskRow, "id">): string => `scheduled_task:${id}`;

/**
 * Holds the alert of a run if each connection on which it failed has a hold. Drops the held alert
 * of an earlier run if this one has no failure.
 * @returns whether the alert is held
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
	const found = failed.flatMap(({ connection_id }) => findHold(holds, [connection_id]) ?? []);
	const [hold] = found;
	if (hold === undefined || found.length < failed.length) return false;
	const isMailed = task.email_on_failure && (await findTaskSettings(tx.db)).email_enabled;
	await holdNotice(tx, {
		severity: alert.severity,
		title: alert.title,
		id: ctx.ids.uuid(),
		hold,
		userId: task.owner_id,
		subject: getTaskSubject(task),
		addresses: isMailed ? task.email_recipients : [],
		at: getNow(ctx),
	});
	return true;
}

/** Holds the alert of drift if the connection has a hold. Returns whether it is held. */
export async function holdDriftAlert(
	ctx: Context,
	tx: Tx,
	of: { readonly ownerId: number; readonly queryId: string; readonly connectionId: string },
	alert: Alert,
): Promise<boolean> {
	const hold = findHold(await listHolds(tx.db, getNow(ctx)), [of.connectionId]);
	if (hold === null) return false;
	const subject = buildDriftSubject(of.queryId, of.connectionId);
	await holdNotice(tx, { ...alert, id: ctx.ids.uuid(), hold, userId: of.ownerId, subject, at: getNow(ctx) });
	return true;
}
