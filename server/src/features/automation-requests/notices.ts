/** Telling people and sockets of requests: what waits for somebody's decision, what was decided, how it ended. */
import type { NotificationDue } from "../../platform/events.ts";
import type { Tx } from "../../ports/store.ts";
import { type RequestNeeds, requestTopic } from "./needs.ts";
import type { RequestRepo, RequestRow } from "./repo.ts";

type Notice = Pick<NotificationDue, "severity" | "title" | "body" | "link" | "key">;

export type NoticeDeps = Pick<RequestNeeds, "events" | "pubsub"> & { readonly requests: RequestRepo };

const link = (row: Pick<RequestRow, "id">): string => `/api/automation/requests/${row.id}/`;

export function createNotices({ events, pubsub, requests }: NoticeDeps) {
	const due = (tx: Tx, audience: readonly number[], notice: Notice): Promise<void> =>
		events.emit(tx, { type: "notification_due", category: "automation_execution", audience, ...notice });

	const mode = (row: Pick<RequestRow, "check_mode">): string => (row.check_mode ? " (check mode)" : "");

	async function toRequester(tx: Tx, row: RequestRow, notice: Omit<Notice, "link">): Promise<void> {
		if (row.requested_by_id !== null) await due(tx, [row.requested_by_id], { link: link(row), ...notice });
	}

	return {
		tell(tx: Tx, id: string): void {
			tx.afterCommit(() => pubsub.publish(requestTopic(id), ""));
		},

		async approvalNeeded(tx: Tx, row: RequestRow): Promise<void> {
			await due(tx, await requests.approvers(tx.db, row), {
				severity: "info",
				title: `"${row.title}" waits for approval${mode(row)}`,
				body: `${row.requested_by} asks for ${row.row_count} rows of "${row.template_name}".`,
				link: link(row),
				key: `automation_approval:${row.id}:${row.updated_at.getTime()}`,
			});
		},

		async decided(tx: Tx, row: RequestRow, by: string, approved: boolean, words: string): Promise<void> {
			await toRequester(tx, row, {
				severity: approved ? "info" : "warning",
				title: `"${row.title}" was ${approved ? "approved" : "rejected"} by ${by}`,
				body: words,
				key: `automation_decision:${row.id}:${row.updated_at.getTime()}`,
			});
		},

		async ended(tx: Tx, row: RequestRow, executionId: string, status: string, error: string | null): Promise<void> {
			const severity = status === "successful" ? "info" : status === "cancelled" ? "warning" : "error";
			await toRequester(tx, row, {
				severity,
				title: `"${row.title}" ${status === "successful" ? "succeeded" : status === "cancelled" ? "was cancelled" : "failed"}${mode(row)}`,
				body: error ?? `The job of "${row.template_name}" on ${row.connection_name} ended: ${status}.`,
				key: `automation_execution:${executionId}`,
			});
		},
	};
}
export type Notices = ReturnType<typeof createNotices>;
