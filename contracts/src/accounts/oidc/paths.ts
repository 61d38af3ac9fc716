/** Addresses of signing in at an identity provider: one entry per route. */

export const oidcPaths = {
	start: { id: "auth.oidc_start", method: "GET", path: "/api/auth/oidc/start/", auth: "anonymous" },
	callback: { id: "auth.oidc_callback", method: "GET", path: "/api/auth/oidc/callback/", auth: "anonymous" },
	exchange: { id: "auth.oidc_exchange", method: "POST", path: "/api/auth/oidc/exchange/", auth: "anonymous" },
	terminal: { id: "auth.oidc_terminal", method: "POST", path: "/api/auth/oidc/terminal/", auth: "anonymous" },
	decideTerminal: {
		id: "auth.oidc_terminal_decide",
		method: "POST",
		path: "/api/auth/oidc/terminal/decide/",
		auth: "anonymous",
	},
} as const;
