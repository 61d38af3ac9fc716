/** Pictures of a network. */
import { pictureRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import { readTenant, readTopology } from "./read-picture.ts";

export const createPictureRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(pictureRoutes, {
		topology: async ({ caller, query, signal }) => buildReply(200, await readTopology(ctx, caller, query, signal)),
		tenant: async ({ caller, query, signal }) => buildReply(200, await readTenant(ctx, caller, query, signal)),
	});
