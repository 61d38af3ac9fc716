/**
 * The rights to change, launch and decide on requests. The visibility of a request is a condition
 * of its query: `buildSeenByCondition` in sql/requests.ts.
 */
import type { RequestStatus } from "@weft/contracts";
import { type Identity, isAllowed } from "../../../core/caller.ts";
import { allowsCause } from "./rules/states.ts";

interface Row {
	readonly requested_by_id: number | null;
	readonly edited_by_id: number | null;
	readonly status: RequestStatus;
	/** Whether the viewer is in a group that decides, or every approver does. */
	readonly is_approver: boolean;
}

export const isRequesterOrAdmin = (identity: Identity, row: Pick<Row, "requested_by_id">): boolean =>
	identity.isAdmin || (row.requested_by_id !== null && row.requested_by_id === identity.userId);

/**
 * Nobody decides on their own request, except a superuser, and nobody on a request of another user
 * that they changed last.
 */
export function canDecideRequest(
	identity: Identity,
	row: Pick<Row, "requested_by_id" | "edited_by_id" | "is_approver">,
): boolean {
	const isOwn = row.requested_by_id === identity.userId;
	return (
		isAllowed(identity, "approve_automationrequest") &&
		(identity.isAdmin || row.is_approver) &&
		(isOwn ? identity.isSuperuser : row.edited_by_id !== identity.userId)
	);
}

export const canApprove = (identity: Identity, row: Row): boolean =>
	allowsCause("request", row.status, "approve") && canDecideRequest(identity, row);

export const canExecute = (identity: Identity, row: Row): boolean =>
	allowsCause("request", row.status, "execute") &&
	isRequesterOrAdmin(identity, row) &&
	isAllowed(identity, "launch_automationrequest");

export const canCancel = (identity: Identity, row: Row): boolean =>
	allowsCause("request", row.status, "cancel") &&
	isRequesterOrAdmin(identity, row) &&
	isAllowed(identity, "launch_automationrequest");

export const canEdit = (identity: Identity, row: Row): boolean =>
	allowsCause("request", row.status, "edit") &&
	isRequesterOrAdmin(identity, row) &&
	isAllowed(identity, "change_automationrequest");

export const canRollback = (identity: Identity, row: Row): boolean =>
	allowsCause("request", row.status, "rollback") &&
	isRequesterOrAdmin(identity, row) &&
	isAllowed(identity, "launch_automationrequest");
