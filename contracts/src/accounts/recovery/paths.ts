/** Addresses of forgotten passwords: one entry per route. */

export const recoveryPaths = {
	request: { id: "auth.password_reset", method: "POST", path: "/api/auth/password-reset/", auth: "anonymous" },
	confirm: {
		id: "auth.password_reset_confirm",
		method: "POST",
		path: "/api/auth/password-reset/confirm/",
		auth: "anonymous",
	},
	sendVerification: {
		id: "auth.send_verification",
		method: "POST",
		path: "/api/auth/email/send-verification/",
		auth: "bearer",
	},
	verifyEmail: { id: "auth.verify_email", method: "GET", path: "/api/auth/email/verify/", auth: "anonymous" },
} as const;
