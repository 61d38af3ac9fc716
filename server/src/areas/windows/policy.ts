/** Who may change plans and move windows. Who sees them is decided where they are read. */
import { type Identity, isAllowed } from "../../core/caller.ts";

const isOwnerOrAdmin = (identity: Identity, { owner_id }: { readonly owner_id: number | null }): boolean =>
	identity.isAdmin || owner_id === identity.userId;

export const canEditPlan = (identity: Identity, plan: { readonly owner_id: number }): boolean =>
	isOwnerOrAdmin(identity, plan) && isAllowed(identity, "change_changeplan");

export const canDeletePlan = (identity: Identity, plan: { readonly owner_id: number }): boolean =>
	isOwnerOrAdmin(identity, plan) && isAllowed(identity, "delete_changeplan");

interface Window {
	readonly owner_id: number | null;
	readonly requires_approval: boolean;
	/** Connections that the identity does not see. */
	readonly hidden_count: number;
}

/** Windows are moved by holders of the permission who see all of their connections. */
export const canMove = (identity: Identity, { hidden_count }: Window): boolean =>
	hidden_count === 0 && isAllowed(identity, "change_changewindow");

/** Nobody approves a window of one's own. */
export const canApprove = (identity: Identity, { owner_id, hidden_count }: Window): boolean =>
	hidden_count === 0 && owner_id !== identity.userId && isAllowed(identity, "approve_changewindow");

/** Where approval is required, the requester does not decide on findings. */
export const canDecide = (identity: Identity, window: Window): boolean =>
	canMove(identity, window) && !(window.requires_approval && window.owner_id === identity.userId);

export const canOverride = (identity: Identity, { owner_id, requires_approval, hidden_count }: Window): boolean =>
	hidden_count === 0 &&
	isAllowed(identity, "override_changewindow") &&
	!(requires_approval && owner_id === identity.userId);

/** As whom a user takes a step. */
export type WindowRole = "mover" | "approver" | "decider" | "overrider";

export function mayAct(role: WindowRole, identity: Identity, window: Window): boolean {
	switch (role) {
		case "mover":
			return canMove(identity, window);
		case "approver":
			return canApprove(identity, window);
		case "decider":
			return canDecide(identity, window);
		case "overrider":
			return canOverride(identity, window);
	}
}

const NOT_REQUESTER = "Where approval is required, another person than the requester does this.";

export const REFUSALS: Readonly<Record<WindowRole, string>> = {
	mover: "You need the permission change_changewindow and must see all connections of the change window to do this.",
	approver: "You need the permission approve_changewindow, and may not decide on a change window of your own.",
	decider: `You need the permission change_changewindow. ${NOT_REQUESTER}`,
	overrider: `You need the permission override_changewindow. ${NOT_REQUESTER}`,
};
