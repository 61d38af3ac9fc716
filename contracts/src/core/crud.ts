/** Contracts of plain resources: list, create, detail, update, replace and remove. */
import * as z from "zod";
import type { AuditCategory } from "../audit/values.ts";
import { defineEnvelope, paging, uuidParams } from "./common.ts";
import { CRUD_METHODS, type CrudVerb } from "./paths.ts";
import { type AuditPolicy, defineRawAnswer, type PermissionRule, type RawAnswer, type RoutePath } from "./route.ts";

interface CrudShapes {
	/** The object as the service answers it. */
	readonly item: z.ZodType;
	/** An object within the list, if it differs. */
	readonly listed?: z.ZodType;
	/** The answer of a route that writes, if it differs. */
	readonly saved?: z.ZodType;
	/** Parameters of the path; a UUID where absent. */
	readonly params?: z.ZodType;
	/** Parameters of the list; those of paging where absent. */
	readonly query?: z.ZodType;
	readonly create?: z.ZodType;
	readonly update?: z.ZodType;
	/** The body of a new object where absent. */
	readonly replace?: z.ZodType;
}

type CrudPathsOf = { readonly [Verb in CrudVerb]?: RoutePath };
/** Bodies without a default: a resource with the route must name them. */
type NeededShapes<Paths> = { readonly [Verb in keyof Paths & ("create" | "update")]: z.ZodType };

type CrudPermission = string | { readonly read: PermissionRule; readonly write: PermissionRule };

interface CrudParts<Paths extends CrudPathsOf, Shapes extends CrudShapes> {
	/** Addresses of the resource; others in it are passed over. */
	readonly paths: Paths;
	/** The word for one object in summaries and descriptions. */
	readonly noun: string;
	/** The model whose view, add, change and delete permissions hold, or two rules. */
	readonly permission: CrudPermission;
	/** Actions are `<action>_create`, `<action>_update` and `<action>_delete`. */
	readonly audit: { readonly category: AuditCategory; readonly action: string };
	readonly shapes: Shapes & NeededShapes<Paths>;
	/** Summaries that say more than the usual ones. */
	readonly summary?: { readonly [Verb in keyof Paths & CrudVerb]?: string };
	/** The description of the answer to a deletion; `The <noun> is deleted` where absent. */
	readonly removed?: string;
	/** Largest body in bytes; 1 MiB where absent. */
	readonly bodyLimit?: number;
}

type ShapeOf<Shapes, Name extends string, Default> = Shapes extends {
	readonly [N in Name]: infer Shape extends z.ZodType;
}
	? Shape
	: Default;
type Item<S extends CrudShapes> = S["item"];
type Envelope<Listed> = Listed extends z.ZodType ? ReturnType<typeof defineEnvelope<Listed>> : never;
type Params<S> = ShapeOf<S, "params", typeof uuidParams>;
type Body<S, Verb extends string> = { readonly body: ShapeOf<S, Verb, never>; readonly bodyLimit?: number };
type Saved<S extends CrudShapes> = ShapeOf<S, "saved", Item<S>>;

/** Input and answers of each route. */
interface CrudContent<S extends CrudShapes> {
	readonly list: {
		readonly query: ShapeOf<S, "query", z.ZodObject<typeof paging>>;
		readonly answers: { readonly 200: Envelope<ShapeOf<S, "listed", Item<S>>> };
	};
	readonly create: Body<S, "create"> & { readonly answers: { readonly 201: Saved<S> } };
	readonly detail: { readonly params: Params<S>; readonly answers: { readonly 200: Item<S> } };
	readonly update: Body<S, "update"> & {
		readonly params: Params<S>;
		readonly answers: { readonly 200: Saved<S> };
	};
	readonly replace: (S extends { readonly replace: z.ZodType } ? Body<S, "replace"> : Body<S, "create">) & {
		readonly params: Params<S>;
		readonly answers: { readonly 200: Saved<S> };
	};
	readonly remove: { readonly params: Params<S>; readonly answers: { readonly 204: RawAnswer } };
}

type CrudAccess = {
	readonly summary: string;
	readonly throttle: "user";
	readonly permission: PermissionRule;
	readonly audit: AuditPolicy;
};

type CrudRoutes<Paths extends CrudPathsOf, S extends CrudShapes> = {
	readonly [Verb in keyof Paths & CrudVerb]: Paths[Verb] & CrudAccess & CrudContent<S>[Verb];
};

const PERMISSIONS = {
	list: "view",
	create: "add",
	detail: "view",
	update: "change",
	replace: "change",
	remove: "delete",
} as const;

function getPermission(permission: CrudPermission, verb: CrudVerb): PermissionRule {
	if (typeof permission === "string") return `${PERMISSIONS[verb]}_${permission}`;
	return PERMISSIONS[verb] === "view" ? permission.read : permission.write;
}

const ACTIONS = { create: "create", update: "update", replace: "update", remove: "delete" } as const;

const getSummaries = (noun: string): Record<CrudVerb, string> => ({
	list: `The ${noun}s that the caller sees`,
	create: `Make a ${noun}`,
	detail: `One ${noun}`,
	update: `Change some fields of a ${noun}`,
	replace: `Replace all fields of a ${noun}, those left out by their defaults`,
	remove: `Delete a ${noun}`,
});

function getContent({ shapes, noun, removed, bodyLimit }: CrudParts<CrudPathsOf, CrudShapes>) {
	const { item, listed = item, saved = item, params = uuidParams, query = z.object(paging) } = shapes;
	const { create, update, replace = create } = shapes;
	const limit = bodyLimit === undefined ? {} : { bodyLimit };
	return {
		list: { query, answers: { 200: defineEnvelope(listed) } },
		create: { body: create, ...limit, answers: { 201: saved } },
		detail: { params, answers: { 200: item } },
		update: { params, body: update, ...limit, answers: { 200: saved } },
		replace: { params, body: replace, ...limit, answers: { 200: saved } },
		remove: { params, answers: { 204: defineRawAnswer("", removed ?? `The ${noun} is deleted`) } },
	};
}

/**
 * Makes the contracts of a plain resource, one for each of its addresses, in their order. A
 * resource that differs overrides a summary here, or a part of one route in the result.
 */
export function defineCrudRoutes<const Paths extends CrudPathsOf, const Shapes extends CrudShapes>(
	parts: CrudParts<Paths, Shapes>,
): CrudRoutes<Paths, Shapes> {
	const { paths, permission, audit } = parts;
	const summaries: Partial<Record<string, string>> = { ...getSummaries(parts.noun), ...parts.summary };
	const content = getContent(parts);
	const defineEntry = (verb: CrudVerb) => {
		const isRead = verb === "list" || verb === "detail";
		return {
			...paths[verb],
			summary: summaries[verb],
			throttle: "user",
			permission: getPermission(permission, verb),
			audit: isRead ? { none: "read" } : { category: audit.category, action: `${audit.action}_${ACTIONS[verb]}` },
			...content[verb],
		};
	};
	const verbs = Object.keys(paths).filter((name): name is CrudVerb => name in CRUD_METHODS);
	const routes: object = Object.fromEntries(verbs.map((verb) => [verb, defineEntry(verb)]));
	return routes as CrudRoutes<Paths, Shapes>;
}
