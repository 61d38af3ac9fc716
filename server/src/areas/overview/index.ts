/** The start page: counters of each area, and the health of the stores. */
import { type Context, getNow } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { Repeating } from "../../core/repeating.ts";
import { reportNode } from "./report-node.ts";
import { createRoutes } from "./routes.ts";

export interface Overview {
	readonly routes: BoundRoute[];
	/** Starts the work of every process, whatever its roles. */
	work(): Repeating;
}

export function createOverview(ctx: Context): Overview {
	const node = { id: ctx.ids.uuid(), startedAt: getNow(ctx) };
	return { routes: createRoutes(ctx, node), work: () => reportNode(ctx, node) };
}
