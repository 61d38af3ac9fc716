/** Addresses of the gallery of questions: one entry per route. */

export const galleryPaths = {
	list: { id: "gallery.list", method: "GET", path: "/api/queries/gallery/", auth: "bearer" },
	run: { id: "gallery.run", method: "POST", path: "/api/queries/gallery/:key/run/", auth: "bearer" },
	watch: { id: "gallery.watch", method: "POST", path: "/api/queries/gallery/:key/watch/", auth: "bearer" },
	save: { id: "gallery.save", method: "POST", path: "/api/queries/gallery/:key/save/", auth: "bearer" },
} as const;
