/** The start page: counters of each area, and the health of the stores. */
import { type Context, getNow } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { Repeating } from "../../core/repeating.ts";
import { reportNode } from "./report-node.ts";
import { createRoutes } from "./routes.ts";

export interface Overview {
	readonly routes: BoundRoute[];
	/** Starts what every process does, whatever its roles. */
	work(): Repeating;
}

export function createOverview(ctx: Context): Overview {
	const id = ctx.ids.uuid();
	const startedAt = getNow(ctx);
	return { routes: createRoutes(ctx, id), work: () => reportNode(ctx, id, startedAt) };
}
