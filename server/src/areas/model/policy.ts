/** Who may see and change column sets. */
import type { Identity } from "../../core/caller.ts";

interface Template {
	readonly owner_id: number;
	readonly is_shared: boolean;
}

/**
 * Shared ones are everybody's to use and the administrators' to change; the others belong to their
 * owner alone.
 */
export function canEdit(viewer: Pick<Identity, "userId" | "isAdmin">, { owner_id, is_shared }: Template): boolean {
	return is_shared ? viewer.isAdmin : owner_id === viewer.userId;
}

export const mayShare = (viewer: Pick<Identity, "isAdmin">): boolean => viewer.isAdmin;
