/** Who may see and do what with a saved query. */
import { type Identity, isAllowed } from "../../../core/caller.ts";

/** Whom visibility is decided for. */
export type Viewer = Pick<Identity, "userId" | "isAdmin">;

interface Owned {
	readonly owner_id: number;
}

const isOwnerOrAdmin = (identity: Identity, query: Owned): boolean =>
	identity.isAdmin || query.owner_id === identity.userId;

export function canEdit(identity: Identity, query: Owned): boolean {
	return isOwnerOrAdmin(identity, query) && isAllowed(identity, "change_savedquery");
}

export function canDelete(identity: Identity, query: Owned): boolean {
	return isOwnerOrAdmin(identity, query) && isAllowed(identity, "delete_savedquery");
}
