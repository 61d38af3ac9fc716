/**
 * Who may make, change and delete a calendar entry. Who sees one is decided where entries are read:
 * `buildSeenByCondition`. The connections that an entry names need rights besides.
 */
import type { CalendarKind } from "@weft/contracts";
import { type Identity, isAllowed } from "../../core/caller.ts";

interface Owned {
	readonly kind: CalendarKind;
	/** Null once the owner was deleted. */
	readonly created_by_id: number | null;
}

/** A user who may override a freeze may also make and end one. */
export const canMake = (identity: Identity, kind: CalendarKind): boolean =>
	kind !== "freeze" || isAllowed(identity, "override_freeze");

const canWrite = (identity: Identity, row: Owned, permission: "change_calendarentry" | "delete_calendarentry") =>
	(identity.isAdmin || row.created_by_id === identity.userId) &&
	canMake(identity, row.kind) &&
	isAllowed(identity, permission);

export const canEdit = (identity: Identity, row: Owned): boolean => canWrite(identity, row, "change_calendarentry");

export const canDelete = (identity: Identity, row: Owned): boolean => canWrite(identity, row, "delete_calendarentry");
