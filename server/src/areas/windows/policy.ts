/** Rights to change plans and move windows. Reading them decides who sees them. */
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

/** Whether the identity has the permission and sees all connections. */
export const canMove = (identity: Identity, { hidden_count }: Window): boolean =>
	hidden_count === 0 && isAllowed(identity, "change_changewindow");

/** Whether the identity may approve the window, which its requester never may. */
export const canApprove = (identity: Identity, { owner_id, hidden_count }: Window): boolean =>
	hidden_count === 0 && owner_id !== identity.userId && isAllowed(identity, "approve_changewindow");

/** Whether the identity may accept findings and sign; not the requester if approval is required. */
export const canDecide = (identity: Identity, window: Window): boolean =>
	canMove(identity, window) && !(window.requires_approval && window.owner_id === identity.userId);

export const canOverride = (identity: Identity, { owner_id, requires_approval, hidden_count }: Window): boolean =>
	hidden_count === 0 &&
	isAllowed(identity, "override_changewindow") &&
	!(requires_approval && owner_id === identity.userId);

const canRemove = (identity: Identity, { hidden_count }: Window): boolean =>
	hidden_count === 0 && isAllowed(identity, "delete_changewindow");

/** The right that a move needs. */
export type WindowRole = "mover" | "approver" | "decider" | "overrider" | "remover";

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
		case "remover":
			return canRemove(identity, window);
	}
}

const NOT_REQUESTER = "Where approval is required, another person than the requester does this.";

export const REFUSALS: Readonly<Record<WindowRole, string>> = {
	mover: "You need the permission change_changewindow and must see all connections of the change window to do this.",
	approver: "You need the permission approve_changewindow, and may not decide on a change window of your own.",
	decider: `You need the permission change_changewindow. ${NOT_REQUESTER}`,
	remover: "You need the permission delete_changewindow and must see all connections of the change window to do this.",
	overrider: `You need the permission override_changewindow. ${NOT_REQUESTER}`,
};
