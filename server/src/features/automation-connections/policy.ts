/** Who sees, changes and deletes a connection to an automation server. */
import { type Identity, isAllowed } from "../../platform/caller.ts";

interface Owned {
	readonly created_by: number | null;
	readonly is_public: boolean;
}

const isOwnerOrAdmin = (identity: Identity, row: Owned): boolean =>
	identity.isAdmin || (row.created_by !== null && row.created_by === identity.userId);

export const canSee = (identity: Identity, row: Owned): boolean => row.is_public || isOwnerOrAdmin(identity, row);

/** Testing counts as a change: everybody sees its outcome. */
export const canEdit = (identity: Identity, row: Owned): boolean =>
	isOwnerOrAdmin(identity, row) && isAllowed(identity, "change_automationconnection");

export const canDelete = (identity: Identity, row: Owned): boolean =>
	isOwnerOrAdmin(identity, row) && isAllowed(identity, "delete_automationconnection");
