/** Addresses of the pictures of a network: one entry per route. */

export const picturePaths = {
	topology: { id: "pictures.topology", method: "GET", path: "/api/pictures/topology/", auth: "bearer" },
	tenant: { id: "pictures.tenant", method: "GET", path: "/api/pictures/tenant/", auth: "bearer" },
} as const;
