/** Who may see and cancel a run. */
import type { Identity } from "../../../core/caller.ts";

/** The run's owner and administrators; for others it does not exist. */
export const mayAccess = (identity: Identity, job: { readonly owner_id: number }): boolean =>
	identity.isAdmin || job.owner_id === identity.userId;
