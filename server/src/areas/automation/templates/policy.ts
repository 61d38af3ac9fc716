/**
 * Who sees and changes templates and what they draw on. Who sees one among many is decided where
 * they are read: see `buildSeenByCondition` in the repositories.
 */
import type { PermissionRule } from "@weft/contracts";
import { type Identity, isAllowed } from "../../../core/caller.ts";

interface Owned {
	readonly created_by: number | null;
}

const isOwnerOrAdmin = (identity: Identity, row: Owned): boolean =>
	identity.isAdmin || (row.created_by !== null && row.created_by === identity.userId);

export const canChange = (identity: Identity, row: Owned, rule: PermissionRule): boolean =>
	isOwnerOrAdmin(identity, row) && isAllowed(identity, rule);

export const canEditTemplate = (identity: Identity, row: Owned): boolean =>
	canChange(identity, row, "change_automationtemplate");

export const canDeleteTemplate = (identity: Identity, row: Owned): boolean =>
	canChange(identity, row, "delete_automationtemplate");
