/** Who may see and cancel a group execution. */
import type { Identity } from "../../../core/caller.ts";

/** The owner and administrators; for others it does not exist. */
export const mayAccess = (identity: Identity, group: { readonly owner_id: number }): boolean =>
	identity.isAdmin || group.owner_id === identity.userId;
