/**
 * Who may change, run and delete a task. Who sees one is decided where tasks are read: see
 * `buildSeenByCondition` in sql/tasks.ts.
 */
import { type Identity, isAllowed } from "../../core/caller.ts";

interface Owned {
	readonly owner_id: number;
}

const isOwnerOrAdmin = (identity: Identity, task: Owned): boolean =>
	identity.isAdmin || task.owner_id === identity.userId;

export const canEdit = (identity: Identity, task: Owned): boolean =>
	isOwnerOrAdmin(identity, task) && isAllowed(identity, "change_scheduledtask");

export const canDelete = (identity: Identity, task: Owned): boolean =>
	isOwnerOrAdmin(identity, task) && isAllowed(identity, "delete_scheduledtask");

/** By hand. The run itself is the owner's, with the owner's rights. */
export const canRun = isOwnerOrAdmin;
