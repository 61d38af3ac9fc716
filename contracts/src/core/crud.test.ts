import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { defineCrudRoutes } from "./crud.ts";
import { defineCrudPaths } from "./paths.ts";

const item = z.object({ id: z.string(), name: z.string() });
const paths = defineCrudPaths("shelves", "/api/shelves/");
const parts = {
	noun: "shelf",
	permission: "shelf",
	audit: { category: "query_management", action: "shelf" },
} as const;
const shapes = { item, create: z.object({ name: z.string() }), update: z.object({ name: z.string().optional() }) };
const routes = defineCrudRoutes({ ...parts, paths, shapes });

describe("the routes of a plain resource", () => {
	it("derives addresses, permissions and audit actions from the verb", () => {
		const access = Object.values(routes).map(({ id, method, path, permission, audit }) =>
			[id, method, path, permission, "action" in audit ? audit.action : audit.none].join(" "),
		);
		expect(access).toEqual([
			"shelves.list GET /api/shelves/ view_shelf read",
			"shelves.create POST /api/shelves/ add_shelf shelf_create",
			"shelves.detail GET /api/shelves/:id/ view_shelf read",
			"shelves.update PATCH /api/shelves/:id/ change_shelf shelf_update",
			"shelves.replace PUT /api/shelves/:id/ change_shelf shelf_update",
			"shelves.remove DELETE /api/shelves/:id/ delete_shelf shelf_delete",
		]);
		expect(routes.remove.answers[204].description).toBe("The shelf is deleted");
	});

	it("makes a route for each address, in their order, with the summaries of the resource", () => {
		const few = defineCrudPaths("shelves", "/api/shelves/", ["detail", "list"]);
		const summary = { list: "All shelves" };
		const read = defineCrudRoutes({ ...parts, paths: { ...few, other: few.list }, shapes: { item }, summary });
		expect(Object.entries(read).map(([verb, route]) => [verb, route.summary])).toEqual([
			["detail", "One shelf"],
			["list", "All shelves"],
		]);
		// @ts-expect-error There is no such address.
		expect(read.create).toBeUndefined();
	});

	it("gives addresses, bodies and answers their exact types", () => {
		expectTypeOf(routes.update.id).toEqualTypeOf<"shelves.update">();
		expectTypeOf(routes.update.path).toEqualTypeOf<"/api/shelves/:id/">();
		expectTypeOf<z.output<typeof routes.replace.body>>().toEqualTypeOf<{ name: string }>();
		expectTypeOf<z.output<(typeof routes.create.answers)[201]>>().toEqualTypeOf<z.output<typeof item>>();
		expectTypeOf<z.output<(typeof routes.list.answers)[200]>["results"]>().toEqualTypeOf<z.output<typeof item>[]>();
		// @ts-expect-error An address of a new object needs the shape of its body.
		expect(() => defineCrudRoutes({ ...parts, paths, shapes: { item, update: shapes.update } })).not.toThrow();
		expect(routes.replace.body).toBe(shapes.create);
	});
});
