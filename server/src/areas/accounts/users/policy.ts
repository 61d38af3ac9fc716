/** Which administrator may do what with whom (interface decisions, section 3). */
import type { Identity } from "../../../core/caller.ts";

export const ADMIN_GROUP = "Admin";

/** Groups by whose name something is decided: they are neither renamed nor deleted. */
export const FIXED_GROUPS: readonly string[] = [ADMIN_GROUP, "Users"];

/** Only a superuser may touch a superuser. */
export const canTouch = (caller: Identity, target: { readonly is_superuser: boolean }): boolean =>
	caller.isSuperuser || !target.is_superuser;

/** Only a superuser may make one, or say who belongs to `Admin`. */
export const canPromote = (caller: Identity): boolean => caller.isSuperuser;
