/** Addresses of plain resources. */

/** The routes that a plain resource may have, in their usual order. */
export const CRUD_METHODS = {
	list: "GET",
	create: "POST",
	detail: "GET",
	update: "PATCH",
	replace: "PUT",
	remove: "DELETE",
} as const;

export type CrudVerb = keyof typeof CRUD_METHODS;

/** The same routes, for resources whose PUT comes before their PATCH in the OpenAPI document. */
export const REPLACE_FIRST = ["list", "create", "detail", "replace", "update", "remove"] as const;

type CrudPaths<Area extends string, Path extends string, Verb extends CrudVerb> = {
	readonly [V in Verb]: {
		readonly id: `${Area}.${V}`;
		readonly method: (typeof CRUD_METHODS)[V];
		readonly path: V extends "list" | "create" ? Path : `${Path}:id/`;
		readonly auth: "bearer";
	};
};

/**
 * Makes the addresses of a plain resource: the list at `path`, one object at `path` and its id.
 * The ids of the routes start with `area`. `verbs` has the routes of the resource in their order.
 */
export function defineCrudPaths<
	const Area extends string,
	const Path extends string,
	const Verb extends CrudVerb = CrudVerb,
>(area: Area, path: Path, verbs: readonly Verb[] = Object.keys(CRUD_METHODS) as Verb[]) {
	const entries = verbs.map((verb) => {
		const place = verb === "list" || verb === "create" ? path : `${path}:id/`;
		return [verb, { id: `${area}.${verb}`, method: CRUD_METHODS[verb], path: place, auth: "bearer" }];
	});
	return Object.fromEntries(entries) as CrudPaths<Area, Path, Verb>;
}
