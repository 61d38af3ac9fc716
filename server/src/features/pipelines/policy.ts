/** Who may see and end a run. */
import type { Identity } from "../../platform/caller.ts";

/** Its owner, and administrators; to all others it does not exist. */
export const mayAccess = (identity: Identity, job: { readonly owner_id: number }): boolean =>
	identity.isAdmin || job.owner_id === identity.userId;
