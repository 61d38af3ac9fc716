/** Notifications about a user's own account: changes that an intruder might make. */
interface Words {
	readonly severity: "info" | "warning";
	readonly title: string;
	readonly body: string;
}

const IF_NOT_YOU = "If that was not you, change your password and tell an administrator.";

/** By the action of the audit log. */
const NOTICES: Readonly<Record<string, Words>> = {
	password_change: { severity: "info", title: "Your password was changed", body: IF_NOT_YOU },
	password_reset: { severity: "warning", title: "Your password was reset", body: IF_NOT_YOU },
	admin_reset_password: {
		severity: "warning",
		title: "An administrator set a new password for your account",
		body: "Change it to one that only you know.",
	},
	mfa_enable: { severity: "info", title: "The second factor of your account was switched on", body: IF_NOT_YOU },
	mfa_disable: { severity: "warning", title: "The second factor of your account was switched off", body: IF_NOT_YOU },
	mfa_backup_codes: { severity: "warning", title: "Your backup codes were replaced", body: IF_NOT_YOU },
	admin_disable_mfa: {
		severity: "warning",
		title: "An administrator removed the second factor of your account",
		body: "Set it up again under your account's security settings.",
	},
};

/** The notification for the user that was changed; null when the action has none. */
export function buildAccountNotice(action: string, targetType: string): Words | null {
	return targetType === "user" && Object.hasOwn(NOTICES, action) ? (NOTICES[action] ?? null) : null;
}
