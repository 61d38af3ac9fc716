/** The caller of a request: identity and request metadata. */
import type { AuditPolicy, PermissionRule } from "@weft/contracts";

/** Request metadata. */
export interface Origin {
	readonly requestId: string;
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

/** A signed-in user in one session. */
export interface Identity {
	readonly userId: number;
	readonly username: string;
	readonly sessionId: string;
	readonly isSuperuser: boolean;
	/** Superuser or member of `Admin`. */
	readonly isAdmin: boolean;
	readonly permissions: ReadonlySet<string>;
}

export interface Caller extends Identity, Origin {}

export function isAllowed(identity: Identity, rule: PermissionRule): boolean {
	return rule === "any" || identity.isAdmin || (rule !== "admin" && identity.permissions.has(rule));
}
