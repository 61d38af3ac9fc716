/** Notifies the people of a change window. */
import type { NotificationEvent, Severity, Verdict } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { GateDecision } from "./rules/gate.ts";
import type { NewFinding } from "./rules/types.ts";
import type { WindowRow } from "./sql/windows.ts";

/** Findings and reasons in the text of a notification. */
const NAMED = 3;

const SEVERITIES: Readonly<Record<Verdict, Severity>> = {
	failed: "error",
	inconclusive: "warning",
	passed_with_warnings: "info",
	passed: "info",
};

type Notice =
	| { readonly event: "change_window_blocked"; readonly gate: GateDecision }
	| { readonly event: "change_window_judged"; readonly findings: readonly NewFinding[] }
	| { readonly event: "change_window_closed" }
	| { readonly event: "change_window_expired" }
	| { readonly event: "change_window_awaiting_approval"; readonly approvers: readonly number[] };

/** The requester and the approver. */
const listPeople = ({ owner_id, approved_by_id }: WindowRow): number[] =>
	[owner_id, approved_by_id].filter((id) => id !== null);

const formatFinding = ({ class: kind, dn, detail }: NewFinding): string =>
	`${kind}: ${[dn, detail].filter((text) => text !== null && text !== "").join(", ")}`;

function describeNotice(
	window: WindowRow,
	notice: Notice,
): { readonly severity: Severity; readonly title: string; readonly body: string } {
	const ticket = window.ticket_number === null ? "" : ` (${window.ticket_number})`;
	const name = `"${window.title}"${ticket}`;
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
		case "change_window_judged": {
			const verdict = window.verdict ?? "inconclusive";
			return {
				severity: SEVERITIES[verdict],
				title: `The change window ${name}: ${verdict.replaceAll("_", " ")}`,
				body: notice.findings
					.filter(({ class: kind }) => kind !== "expected" && kind !== "allowed")
					.slice(0, NAMED)
					.map(formatFinding)
					.join("\n"),
			};
		}
		case "change_window_closed":
			return { severity: "info", title: `The change window ${name} was signed by ${window.signed_by}`, body: "" };
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
