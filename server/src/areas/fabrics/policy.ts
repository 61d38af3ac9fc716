/** Who sees, changes and deletes a stored connection, and who sends changes to a controller. */
import { type Identity, isAllowed } from "../../core/caller.ts";

interface Owned {
	/** Null once the owner was deleted. */
	readonly created_by: number | null;
	readonly is_public: boolean;
}

/** The part of a permission's name after the verb. */
export type ConnectionModel = "controllerconnection" | "automationconnection";

const isOwnerOrAdmin = (identity: Identity, row: Owned): boolean =>
	identity.isAdmin || row.created_by === identity.userId;

export const canSee = (identity: Identity, row: Owned): boolean => row.is_public || isOwnerOrAdmin(identity, row);

/**
 * Whether the row may be the default of a viewer who chose none: the viewer's own, or a public one
 * of an administrator; never a public one of another user.
 */
export const isDefaultCandidate = ({ userId }: Identity, row: Owned & { readonly has_admin_owner: boolean }): boolean =>
	row.created_by === userId || (row.is_public && row.has_admin_owner);

/**
 * Whether the identity may change or delete the row. Testing counts as a change: all viewers see
 * its outcome, and failed sign-ins may lock the account.
 */
export const canWrite = (
	identity: Identity,
	row: Owned,
	permission: `${"change" | "delete"}_${ConnectionModel}`,
): boolean => isOwnerOrAdmin(identity, row) && isAllowed(identity, permission);

/** Every method but GET may change the controller. */
export const canSend = (identity: Identity, method: string): boolean =>
	method === "GET" || isAllowed(identity, "write_controllerconnection");
