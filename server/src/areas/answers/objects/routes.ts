/** Single objects. */
import { objectRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import { readObject } from "./read-object.ts";

export const createObjectRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(objectRoutes, {
		detail: async ({ caller, query, signal }) => buildReply(200, await readObject(ctx, caller, query, signal)),
	});
