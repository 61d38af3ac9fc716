/** Why a session reaches only the routes that end its restriction. */
import type { Restriction } from "../../../../core/caller.ts";

/** The accounts that need a second factor (`WEFT_REQUIRE_MFA`). */
export const MFA_REQUIREMENTS = ["administrators", "approvers", "all"] as const;
export type MfaRequirement = (typeof MFA_REQUIREMENTS)[number];

interface Account {
	readonly auth_source: string;
	readonly must_change_password: boolean;
	readonly mfa_enabled: boolean;
	readonly is_superuser: boolean;
	readonly group_names: readonly string[];
	readonly permissions: readonly string[];
}

/**
 * A password that an administrator set comes first. Accounts of an identity provider have their
 * second factor there.
 */
export function findRestriction(account: Account, required: ReadonlySet<MfaRequirement>): Restriction | null {
	if (account.auth_source === "local" && account.must_change_password) return "password_change_required";
	if (account.mfa_enabled || !["local", "ldap"].includes(account.auth_source)) return null;
	const isAdministrator = account.is_superuser || account.group_names.includes("Admin");
	const isApprover = isAdministrator || account.permissions.includes("approve_automationrequest");
	const needs =
		required.has("all") ||
		(required.has("administrators") && isAdministrator) ||
		(required.has("approvers") && isApprover);
	return needs ? "mfa_setup_required" : null;
}
