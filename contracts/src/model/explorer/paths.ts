/** Addresses of the model explorer: one entry per route. */

export const mimPaths = {
	search: { id: "mim.search", method: "GET", path: "/api/mim/search/", auth: "bearer" },
	tree: { id: "mim.tree", method: "GET", path: "/api/mim/explorer/tree/", auth: "bearer" },
	detail: { id: "mim.detail", method: "GET", path: "/api/mim/explorer/class/:class_name/", auth: "bearer" },
	dnFormats: {
		id: "mim.dn_formats",
		method: "GET",
		path: "/api/mim/explorer/class/:class_name/dn-formats/",
		auth: "bearer",
	},
	insights: {
		id: "mim.insights",
		method: "GET",
		path: "/api/mim/explorer/class/:class_name/insights/",
		auth: "bearer",
	},
	relationships: {
		id: "mim.relationships",
		method: "GET",
		path: "/api/mim/explorer/relationships/:class_name/",
		auth: "bearer",
	},
	ancestors: { id: "mim.ancestors", method: "GET", path: "/api/mim/explorer/ancestors/:class_name/", auth: "bearer" },
	stats: { id: "mim.stats", method: "GET", path: "/api/mim/stats/", auth: "bearer" },
} as const;
