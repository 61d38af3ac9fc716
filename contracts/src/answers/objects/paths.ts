/** Addresses of single objects: one entry per route. */

export const objectPaths = {
	detail: { id: "objects.detail", method: "GET", path: "/api/objects/", auth: "bearer" },
} as const;
