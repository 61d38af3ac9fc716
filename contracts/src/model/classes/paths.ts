/** Addresses of classes and packages of the model: one entry per route. */

export const mimClassPaths = {
	list: { id: "mim_classes.list", method: "GET", path: "/api/mim/classes/", auth: "bearer" },
	search: { id: "mim_classes.search", method: "GET", path: "/api/mim/classes/search/", auth: "bearer" },
	enhanced: {
		id: "mim_classes.search_enhanced",
		method: "GET",
		path: "/api/mim/classes/search/enhanced/",
		auth: "bearer",
	},
	roots: { id: "mim_classes.roots", method: "GET", path: "/api/mim/classes/roots/", auth: "bearer" },
	suggest: { id: "mim_classes.suggest", method: "GET", path: "/api/mim/classes/suggest/", auth: "bearer" },
	detail: { id: "mim_classes.detail", method: "GET", path: "/api/mim/classes/:name/", auth: "bearer" },
	hierarchy: { id: "mim_classes.hierarchy", method: "GET", path: "/api/mim/classes/:name/hierarchy/", auth: "bearer" },
	related: { id: "mim_classes.related", method: "GET", path: "/api/mim/classes/:name/related/", auth: "bearer" },
	children: {
		id: "mim_classes.children_search",
		method: "GET",
		path: "/api/mim/classes/:parent/children/search/",
		auth: "bearer",
	},
	packages: { id: "mim_packages.list", method: "GET", path: "/api/mim/packages/", auth: "bearer" },
	topPackages: { id: "mim_packages.top", method: "GET", path: "/api/mim/packages/top/", auth: "bearer" },
} as const;
