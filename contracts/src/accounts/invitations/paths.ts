/** Addresses of invitations: one entry per route. */

export const invitationPaths = {
	create: {
		id: "users.invite",
		method: "POST",
		path: "/api/auth/management/invitations/",
		auth: "bearer",
	},
	list: { id: "users.invitations", method: "GET", path: "/api/auth/management/invitations/", auth: "bearer" },
	withdraw: {
		id: "users.withdraw_invitation",
		method: "DELETE",
		path: "/api/auth/management/invitations/:id/",
		auth: "bearer",
	},
	renew: {
		id: "users.renew_invitation",
		method: "POST",
		path: "/api/auth/management/invitations/:id/renew/",
		auth: "bearer",
	},
	detail: { id: "auth.invitation", method: "GET", path: "/api/auth/invitations/:token/", auth: "anonymous" },
	accept: { id: "auth.accept_invitation", method: "POST", path: "/api/auth/invitations/:token/", auth: "anonymous" },
} as const;
