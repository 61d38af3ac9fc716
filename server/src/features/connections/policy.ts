/** Who sees, changes and deletes a controller connection. */
import { type Identity, isAllowed } from "../../platform/caller.ts";

interface Owned {
	readonly created_by: number;
	readonly is_public: boolean;
}

export const canSee = (identity: Identity, row: Owned): boolean => row.is_public || isOwnerOrAdmin(identity, row);

/** Testing counts as a change: everybody sees its outcome, and failed sign-ins may lock the account. */
export const canEdit = (identity: Identity, row: Owned): boolean =>
	isOwnerOrAdmin(identity, row) && isAllowed(identity, "change_controllerconnection");

export const canDelete = (identity: Identity, row: Owned): boolean =>
	isOwnerOrAdmin(identity, row) && isAllowed(identity, "delete_controllerconnection");

/** Every method but GET may change the controller. */
export const canSend = (identity: Identity, method: string): boolean =>
	method === "GET" || isAllowed(identity, "write_controllerconnection");

const isOwnerOrAdmin = (identity: Identity, row: Owned): boolean =>
	identity.isAdmin || row.created_by === identity.userId;
