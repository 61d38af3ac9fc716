import { expect, it } from "vitest";
import { findRestriction, type MfaRequirement } from "./restriction.ts";

const user = {
	auth_source: "local",
	must_change_password: false,
	mfa_enabled: false,
	is_superuser: false,
	group_names: ["Users"],
	permissions: ["view_automationrequest"],
};
const admin = { ...user, group_names: ["Admin"] };
const approver = { ...user, permissions: ["approve_automationrequest"] };

it.each([
	["no requirement", admin, [], null],
	["a user beside administrators", user, ["administrators", "approvers"], null],
	["a member of Admin", admin, ["administrators"], "mfa_setup_required"],
	["a superuser", { ...user, is_superuser: true }, ["administrators"], "mfa_setup_required"],
	["an approver", approver, ["approvers"], "mfa_setup_required"],
	["an approver beside administrators", approver, ["administrators"], null],
	["an administrator, who may approve", admin, ["approvers"], "mfa_setup_required"],
	["a directory account", { ...user, auth_source: "ldap" }, ["all"], "mfa_setup_required"],
	["an account of a provider", { ...admin, auth_source: "oidc" }, ["all"], null],
	["a second factor in use", { ...admin, mfa_enabled: true }, ["all"], null],
	["a password of an administrator", { ...user, must_change_password: true }, ["all"], "password_change_required"],
	["a directory account with the flag", { ...user, auth_source: "ldap", must_change_password: true }, [], null],
] as const)("restricts a session by its account: %s", (_case, account, required, expected) => {
	expect(findRestriction(account, new Set<MfaRequirement>(required))).toBe(expected);
});
