/** Notifies users and sockets about requests: waiting for a decision, decided, ended. */
import type { AutomationWarning, FreezeRef } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { NoticeFacts, NotificationDue } from "../../../../core/events.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { listApprovers, type RequestRow } from "../sql/requests.ts";
import { requestTopic } from "../topics.ts";

type Notice = Pick<NotificationDue, "severity" | "title" | "body" | "link" | "facts" | "key">;

const buildRequestLink = (row: Pick<RequestRow, "id">): string => `/api/automation/requests/${row.id}/`;

/** The facts of an event of one request, with its status before and after. */
const getFacts = (
	row: RequestRow,
	event: NoticeFacts["event"],
	more: { readonly actor?: string; readonly before?: string; readonly after?: string },
): NoticeFacts => {
	const { actor, before = null, after = null } = more;
	const objects = [{ kind: "automation_request", id: row.id, name: row.title, before, after }];
	return actor === undefined ? { event, objects } : { event, actor, objects };
};

export interface EndOfRequest {
	readonly status: string;
	/** The reason for a missing job, or for one that could not be followed. */
	readonly error: string | null;
	/** Warnings about things that the end leaves open. */
	readonly warnings: readonly AutomationWarning[];
}

export type Decision = "approved" | "rejected" | "changes_requested";

export interface NewComment {
	readonly at: Date;
	/** Username. */
	readonly by: string;
	readonly comment: string;
	/** Ids of users. */
	readonly readers: readonly number[];
}

const emitNotice = (ctx: Context, tx: Tx, audience: readonly number[], notice: Notice): Promise<void> =>
	ctx.events.emit(tx, { type: "notification_due", category: "automation_execution", audience, ...notice });

const formatMode = (row: Pick<RequestRow, "check_mode">): string => (row.check_mode ? " (check mode)" : "");

async function notifyRequester(ctx: Context, tx: Tx, row: RequestRow, notice: Omit<Notice, "link">): Promise<void> {
	if (row.requested_by_id !== null)
		await emitNotice(ctx, tx, [row.requested_by_id], { link: buildRequestLink(row), ...notice });
}

export function publishRequest(ctx: Context, tx: Tx, id: string): void {
	tx.afterCommit(() => ctx.pubsub.publish(requestTopic(id), ""));
}

export async function notifyApprovers(ctx: Context, tx: Tx, row: RequestRow): Promise<void> {
	await emitNotice(ctx, tx, await listApprovers(tx.db, row), {
		severity: "info",
		title: `"${row.title}" waits for approval${formatMode(row)}`,
		body: `${row.requested_by} asks for ${row.row_count === 1 ? "1 row" : `${row.row_count} rows`} of "${row.template_name}".`,
		link: buildRequestLink(row),
		facts: getFacts(row, "request_awaiting_approval", { actor: row.requested_by, after: "awaiting_approval" }),
		key: `automation_approval:${row.id}:${row.updated_at.getTime()}`,
	});
}

export async function notifyOfComment(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	{ at, by, comment, readers }: NewComment,
): Promise<void> {
	if (readers.length === 0) return;
	await emitNotice(ctx, tx, readers, {
		severity: "info",
		title: `${by} commented on "${row.title}"`,
		body: comment,
		link: buildRequestLink(row),
		facts: getFacts(row, "request_commented", { actor: by, before: row.status, after: row.status }),
		key: `automation_comment:${row.id}:${by}:${at.getTime()}`,
	});
}

export async function notifyOfDecision(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	by: string,
	decision: Decision,
	words: string,
): Promise<void> {
	const title = `"${row.title}" was ${decision} by ${by}`;
	await notifyRequester(ctx, tx, row, {
		severity: decision === "approved" ? "info" : "warning",
		title: decision === "changes_requested" ? `${by} requests changes of "${row.title}"` : title,
		body: words,
		facts: getFacts(row, decision === "changes_requested" ? "request_changes_requested" : "request_decided", {
			actor: by,
			before: row.status,
			after: decision === "approved" ? "approved" : "rejected",
		}),
		key: `automation_decision:${row.id}:${row.updated_at.getTime()}`,
	});
}

/** The request stays as it was. */
export async function notifyOfFailedRelaunch(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	executionId: string,
	error: string | null,
): Promise<void> {
	await notifyRequester(ctx, tx, row, {
		severity: "warning",
		title: `"${row.title}" was not launched again${formatMode(row)}`,
		body: error ?? "It was cancelled before it was launched.",
		facts: getFacts(row, "request_not_relaunched", { before: row.status, after: row.status }),
		key: `automation_execution:${executionId}`,
	});
}

export async function notifyOfHeldLaunch(ctx: Context, tx: Tx, row: RequestRow, freeze: FreezeRef): Promise<void> {
	await notifyRequester(ctx, tx, row, {
		severity: "warning",
		title: `"${row.title}" was not launched${formatMode(row)}`,
		body: `The freeze "${freeze.title}" refuses changes until ${freeze.ends_at}. Launch the request then, or reschedule it.`,
		facts: getFacts(row, "request_held", { before: row.status, after: row.status }),
		key: `automation_held:${row.id}:${row.scheduled_for?.getTime()}`,
	});
}

export async function notifyOfRefusedLaunch(ctx: Context, tx: Tx, row: RequestRow, reason: string): Promise<void> {
	await notifyRequester(ctx, tx, row, {
		severity: "error",
		title: `"${row.title}" was not launched${formatMode(row)}`,
		body: reason,
		facts: getFacts(row, "request_ended", { before: row.status, after: "failed" }),
		key: `automation_refused:${row.id}:${row.scheduled_for?.getTime()}`,
	});
}

export async function notifyOfEnd(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	executionId: string,
	{ status, error, warnings }: EndOfRequest,
): Promise<void> {
	const isGood = status === "successful" && warnings.length === 0;
	const severity = isGood ? "info" : status === "failed" ? "error" : "warning";
	const text = error ?? `The job of "${row.template_name}" on ${row.connection_name} ended: ${status}.`;
	await notifyRequester(ctx, tx, row, {
		severity,
		title: `"${row.title}" ${status === "successful" ? "succeeded" : status === "cancelled" ? "was cancelled" : "failed"}${formatMode(row)}`,
		body: [text, ...warnings.map(({ message }) => message)].join(" "),
		facts: getFacts(row, "request_ended", { before: row.status, after: status }),
		key: `automation_execution:${executionId}`,
	});
}
