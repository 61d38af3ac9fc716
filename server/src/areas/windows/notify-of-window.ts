/** Notifies the people of a change window of its moves but the verdict. */
import type { NotificationEvent, Severity } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { GateDecision } from "./rules/gate.ts";
import type { NewFinding } from "./rules/types.ts";
import { formatVerdict } from "./rules/verdict.ts";
import type { WindowRow } from "./sql/windows.ts";

/** Findings, reasons and alerts in the text of a notification. */
export const NAMED = 3;

type Notice =
	| { readonly event: "change_window_blocked"; readonly gate: GateDecision }
	| { readonly event: "change_window_closed"; readonly findings: readonly NewFinding[] }
	| { readonly event: "change_window_expired" }
	| { readonly event: "change_window_awaiting_approval"; readonly approvers: readonly number[] };

/** The requester and the approver. */
export const listPeople = ({ owner_id, approved_by_id }: WindowRow): number[] =>
	[...new Set([owner_id, approved_by_id])].filter((id) => id !== null);

/** The title, with the number of the ticket. */
export const formatWindowName = ({ title, ticket_number: ticket }: WindowRow): string =>
	`"${title}"${ticket === null ? "" : ` (${ticket})`}`;

const formatFinding = ({ class: kind, dn, detail }: NewFinding): string =>
	`${kind}: ${[dn, detail].filter((text) => text !== null && text !== "").join(", ")}`;

/** The first findings of a verdict that are neither expected nor allowed, a line each. */
export const listFindingLines = (findings: readonly NewFinding[]): string[] =>
	findings
		.filter(({ class: kind }) => kind !== "expected" && kind !== "allowed")
		.slice(0, NAMED)
		.map(formatFinding);

function describeNotice(
	window: WindowRow,
	notice: Notice,
): { readonly severity: Severity; readonly title: string; readonly body: string } {
	const name = formatWindowName(window);
	switch (notice.event) {
		case "change_window_blocked":
			return {
				severity: "error",
				title: `The change window ${name} is blocked`,
				body: notice.gate.reasons
					.slice(0, NAMED)
					.map(({ detail }) => detail)
					.join("\n"),
			};
		case "change_window_closed":
			return {
				severity: "info",
				title: `The change window ${name} was signed by ${window.signed_by}: ${formatVerdict(window.verdict)}`,
				body: listFindingLines(notice.findings).join("\n"),
			};
		case "change_window_expired":
			return { severity: "warning", title: `The change window ${name} has expired`, body: "Nothing was opened." };
		case "change_window_awaiting_approval":
			return { severity: "info", title: `The change window ${name} awaits your approval`, body: "" };
	}
}

export async function notifyOfWindow(ctx: Context, tx: Tx, window: WindowRow, notice: Notice): Promise<void> {
	const audience = notice.event === "change_window_awaiting_approval" ? notice.approvers : listPeople(window);
	await ctx.events.emit(tx, {
		type: "notification_due",
		category: "time_machine",
		...describeNotice(window, notice),
		link: `/change-windows/${window.id}`,
		audience: [...new Set(audience)],
		facts: {
			event: notice.event satisfies NotificationEvent,
			objects: [{ kind: "change_window", id: window.id, name: window.title }],
		},
		key: `change-window:${window.id}:${notice.event}:${window.updated_at.getTime()}`,
	});
}
