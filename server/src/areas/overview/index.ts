/** The start page: counters of each area, and the health of the stores. */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import { createRoutes } from "./routes.ts";

export const createOverview = (ctx: Context): { readonly routes: BoundRoute[] } => ({ routes: createRoutes(ctx) });
