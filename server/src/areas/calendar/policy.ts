/**
 * Rights to make, change and delete a calendar entry. `buildSeenByCondition` decides who sees one,
 * `assertScope` checks the rights on its connections.
 */
import type { CalendarKind } from "@weft/contracts";
import { type Identity, isAllowed } from "../../core/caller.ts";

interface Owned {
	readonly kind: CalendarKind;
	/** Null once the owner is deleted. */
	readonly created_by_id: number | null;
}

/** Making, changing and deleting a freeze need the permission to override one. */
export const canMake = (identity: Identity, kind: CalendarKind): boolean =>
	kind !== "freeze" || isAllowed(identity, "override_freeze");

const canWrite = (identity: Identity, row: Owned, permission: "change_calendarentry" | "delete_calendarentry") =>
	(identity.isAdmin || row.created_by_id === identity.userId) &&
	canMake(identity, row.kind) &&
	isAllowed(identity, permission);

export const canEdit = (identity: Identity, row: Owned): boolean => canWrite(identity, row, "change_calendarentry");

export const canDelete = (identity: Identity, row: Owned): boolean => canWrite(identity, row, "delete_calendarentry");
