/** Addresses of change plans: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

const { list, create, ...one } = defineCrudPaths("change_plans", "/api/change-plans/", [
	"list",
	"create",
	"detail",
	"update",
	"remove",
]);

export const changePlanPaths = {
	list,
	create,
	templates: { id: "change_plans.templates", method: "GET", path: "/api/change-plans/templates/", auth: "bearer" },
	install: {
		id: "change_plans.install",
		method: "POST",
		path: "/api/change-plans/templates/:key/install/",
		auth: "bearer",
	},
	...one,
	preview: { id: "change_plans.preview", method: "POST", path: "/api/change-plans/:id/preview/", auth: "bearer" },
} as const;
