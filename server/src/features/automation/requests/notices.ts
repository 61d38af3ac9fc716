/** Notifies users and sockets about requests: waiting for a decision, decided, ended. */
import type { AutomationWarning } from "@weft/contracts";
import type { NoticeFacts, NotificationDue } from "../../../platform/events.ts";
import type { Tx } from "../../../ports/store.ts";
import type { RequestDependencies } from "./dependencies.ts";
import type { RequestRow } from "./repo.ts";
import { listApprovers } from "./repo.ts";
import { requestTopic } from "./topic.ts";

type Notice = Pick<NotificationDue, "severity" | "title" | "body" | "link" | "facts" | "key">;

export type NoticeDeps = Pick<RequestDependencies, "events" | "pubsub">;

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
	/** Why there was no job, or why it could not be followed. */
	readonly error: string | null;
	/** What the end leaves open. */
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

export function createNotices({ events, pubsub }: NoticeDeps) {
	const due = (tx: Tx, audience: readonly number[], notice: Notice): Promise<void> =>
		events.emit(tx, { type: "notification_due", category: "automation_execution", audience, ...notice });

	const mode = (row: Pick<RequestRow, "check_mode">): string => (row.check_mode ? " (check mode)" : "");

	async function toRequester(tx: Tx, row: RequestRow, notice: Omit<Notice, "link">): Promise<void> {
		if (row.requested_by_id !== null) await due(tx, [row.requested_by_id], { link: buildRequestLink(row), ...notice });
	}

	return {
		tell(tx: Tx, id: string): void {
			tx.afterCommit(() => pubsub.publish(requestTopic(id), ""));
		},

		async approvalNeeded(tx: Tx, row: RequestRow): Promise<void> {
			await due(tx, await listApprovers(tx.db, row), {
				severity: "info",
				title: `"${row.title}" waits for approval${mode(row)}`,
				body: `${row.requested_by} asks for ${row.row_count} rows of "${row.template_name}".`,
				link: buildRequestLink(row),
				facts: getFacts(row, "request_awaiting_approval", { actor: row.requested_by, after: "awaiting_approval" }),
				key: `automation_approval:${row.id}:${row.updated_at.getTime()}`,
			});
		},

		async commented(tx: Tx, row: RequestRow, { at, by, comment, readers }: NewComment): Promise<void> {
			if (readers.length === 0) return;
			await due(tx, readers, {
				severity: "info",
				title: `${by} commented on "${row.title}"`,
				body: comment,
				link: buildRequestLink(row),
				facts: getFacts(row, "request_commented", { actor: by, before: row.status, after: row.status }),
				key: `automation_comment:${row.id}:${by}:${at.getTime()}`,
			});
		},

		async decided(tx: Tx, row: RequestRow, by: string, decision: Decision, words: string): Promise<void> {
			const title = `"${row.title}" was ${decision} by ${by}`;
			await toRequester(tx, row, {
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
		},

		/** The request stays as it was. */
		async notRelaunched(tx: Tx, row: RequestRow, executionId: string, error: string | null): Promise<void> {
			await toRequester(tx, row, {
				severity: "warning",
				title: `"${row.title}" was not launched again${mode(row)}`,
				body: error ?? "It was cancelled before it was launched.",
				facts: getFacts(row, "request_not_relaunched", { before: row.status, after: row.status }),
				key: `automation_execution:${executionId}`,
			});
		},

		async ended(
			tx: Tx,
			row: RequestRow,
			executionId: string,
			{ status, error, warnings }: EndOfRequest,
		): Promise<void> {
			const isGood = status === "successful" && warnings.length === 0;
			const severity = isGood ? "info" : status === "failed" ? "error" : "warning";
			const text = error ?? `The job of "${row.template_name}" on ${row.connection_name} ended: ${status}.`;
			await toRequester(tx, row, {
				severity,
				title: `"${row.title}" ${status === "successful" ? "succeeded" : status === "cancelled" ? "was cancelled" : "failed"}${mode(row)}`,
				body: [text, ...warnings.map(({ message }) => message)].join(" "),
				facts: getFacts(row, "request_ended", { before: row.status, after: status }),
				key: `automation_execution:${executionId}`,
			});
		},
	};
}
export type Notices = ReturnType<typeof createNotices>;
