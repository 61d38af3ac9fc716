/** Who may see and share webhooks. */
import type { Caller } from "../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../core/errors.ts";
import type { WebhookRow } from "./sql/webhooks.ts";

type Viewer = Pick<Caller, "userId" | "isAdmin">;

/** @throws 404 for another user's, and for shared ones unless the caller is an administrator */
export function assertVisible(caller: Viewer, row: WebhookRow | null): WebhookRow {
	if (row === null || (row.user_id === null ? !caller.isAdmin : row.user_id !== caller.userId))
		throw buildNotFoundError();
	return row;
}

/** @throws 403 unless the caller is an administrator or does not share it */
export function assertMayShare(caller: Viewer, isShared: boolean | undefined): void {
	if (isShared === true && !caller.isAdmin) throw buildForbiddenError("Only administrators may share a webhook.");
}
