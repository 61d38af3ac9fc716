/** Which notification of a check a reader is due: the state against the problems that were sent. */
import type { CheckState } from "@weft/contracts";

/** Problems that a reader was notified of and whose end was not sent. */
export interface Notified {
	readonly failing: boolean;
	readonly error: boolean;
}

export const NOTHING_NOTIFIED: Notified = { failing: false, error: false };

/** The state of a check on a connection, as far as notifications depend on it. */
export interface NoticeEntry {
	readonly state: CheckState;
	/** Null for `unknown`: the check waits for its first run, or was redefined. */
	readonly error: string | null;
	readonly isActive: boolean;
	/** Notifications are held back. */
	readonly isMuted: boolean;
}

/** `closed`: the problem is over because nothing looks at it any more; `reason` says why. */
export type NoticeDecision =
	| { readonly kind: "failing" | "error" | "recovered" }
	| { readonly kind: "closed"; readonly reason: string };

const REMOVED = "The check was deleted, or no longer looks at this connection.";
const INACTIVE = "The check was deactivated.";
const REDEFINED = "The check was changed, and waits for its next run.";

/**
 * The notification that a reader is due, null for none. Sent at most once per problem and once per
 * end: of `failing` and `error` each is a problem, and both have one end.
 * @param entry null: the check, the connection, or the check's interest in it is gone
 */
export function decideNotice(notified: Notified, entry: NoticeEntry | null): NoticeDecision | null {
	const hasProblem = notified.failing || notified.error;
	const close = (reason: string): NoticeDecision | null => (hasProblem ? { kind: "closed", reason } : null);
	if (entry === null) return close(REMOVED);
	if (entry.isMuted) return null;
	if (!entry.isActive) return close(INACTIVE);
	switch (entry.state) {
		case "failing":
		case "error":
			return notified[entry.state] ? null : { kind: entry.state };
		case "ok":
			return hasProblem ? { kind: "recovered" } : null;
		case "pending":
			// A failing check becomes pending only after it was ok.
			return notified.failing ? { kind: "recovered" } : null;
		case "unknown":
			return entry.error === null ? close(REDEFINED) : null;
	}
}

/** The problems of a reader after a notification was sent. */
export function applyNotice(notified: Notified, decision: NoticeDecision | null): Notified {
	if (decision === null) return notified;
	if (decision.kind === "recovered" || decision.kind === "closed") return NOTHING_NOTIFIED;
	return { ...notified, [decision.kind]: true };
}
