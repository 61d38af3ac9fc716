/** Addresses of the model tools: one entry per route. */

export const mimToolPaths = {
	dn: { id: "mim.dn", method: "GET", path: "/api/mim/dn/", auth: "bearer" },
	path: { id: "mim.path", method: "GET", path: "/api/mim/path/", auth: "bearer" },
	compare: { id: "mim.compare", method: "GET", path: "/api/mim/compare/", auth: "bearer" },
	check: { id: "mim.check", method: "POST", path: "/api/mim/check/", auth: "bearer" },
} as const;
