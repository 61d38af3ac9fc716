/** The caller of a request: identity and request metadata. */
import type { AuditPolicy, PermissionRule } from "@weft/contracts";

/** Request metadata. */
export interface Origin {
	readonly requestId: string;
	/** The client's address. Empty where it is unknown, and for background work. */
	readonly ip: string;
	readonly userAgent: string;
	/** The route's audit policy: what a change made on behalf of this request is recorded as. */
	readonly audit: AuditPolicy;
	/**
	 * Set once the request's change is in the audit log, or is known to be none; the binder checks it
	 * in tests.
	 */
	readonly trail?: { settled: boolean };
}

/** The API token with which a request is made. */
export interface TokenUse {
	readonly id: string;
	readonly name: string;
	readonly isReadOnly: boolean;
	/** Whether permissions were chosen for the token; else it has all of its owner's. */
	readonly hasChosenPermissions: boolean;
	/** Whether its owner is a superuser or in `Admin`. */
	readonly isOwnerAdmin: boolean;
}

/** Why an API token is refused. */
export type ApiTokenRefusal = "token_malformed" | "token_unknown" | "token_expired" | "token_revoked" | "token_address";

/** Why a token is refused. The detail is for the holder of a well-formed secret. */
export interface TokenRefusal {
	readonly code: ApiTokenRefusal | "account_deactivated";
	readonly detail: string;
}

/** A signed-in user in one session, or the owner of an API token with the token's rights. */
export interface Identity {
	readonly userId: number;
	readonly username: string;
	/** Empty for API tokens and for background work. */
	readonly sessionId: string;
	/** Null for sessions and for background work. */
	readonly token: TokenUse | null;
	readonly isSuperuser: boolean;
	/** Superuser or member of `Admin`. */
	readonly isAdmin: boolean;
	readonly permissions: ReadonlySet<string>;
	/** Why the session reaches only the routes that end the restriction; null: it reaches all. */
	readonly restriction: Restriction | null;
}

/** The `code` of the 403 that a restricted session gets. */
export type Restriction = "password_change_required" | "mfa_setup_required";

export interface Caller extends Identity, Origin {}

export function isAllowed(identity: Identity, rule: PermissionRule): boolean {
	return rule === "any" || identity.isAdmin || (rule !== "admin" && identity.permissions.has(rule));
}
