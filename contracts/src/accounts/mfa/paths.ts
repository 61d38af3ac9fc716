/** Addresses of the second factor: one entry per route. */

export const mfaPaths = {
	login: { id: "auth.mfa_login", method: "POST", path: "/api/auth/mfa-login/", auth: "anonymous" },
	setup: { id: "auth.mfa_setup", method: "POST", path: "/api/auth/mfa/setup/", auth: "bearer" },
	verify: { id: "auth.mfa_verify", method: "POST", path: "/api/auth/mfa/verify/", auth: "bearer" },
	status: { id: "auth.mfa_status", method: "GET", path: "/api/auth/mfa/status/", auth: "bearer" },
	backupCodes: { id: "auth.mfa_backup_codes", method: "POST", path: "/api/auth/mfa/backup-codes/", auth: "bearer" },
	disable: { id: "auth.mfa_disable", method: "POST", path: "/api/auth/mfa/disable/", auth: "bearer" },
} as const;
