/**
 * Who may change and delete a check. Who sees one is decided where checks are read:
 * `buildSeenByCondition`.
 */
import { type Identity, isAllowed } from "../../core/caller.ts";

interface Owned {
	readonly owner_id: number;
}

const isOwnerOrAdmin = (identity: Identity, check: Owned): boolean =>
	identity.isAdmin || check.owner_id === identity.userId;

export const canEdit = (identity: Identity, check: Owned): boolean =>
	isOwnerOrAdmin(identity, check) && isAllowed(identity, "change_check");

export const canDelete = (identity: Identity, check: Owned): boolean =>
	isOwnerOrAdmin(identity, check) && isAllowed(identity, "delete_check");
