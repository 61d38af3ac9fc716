/** Objects as files for version control: export, check, and apply. */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import { createRoutes } from "./routes.ts";

export { getQueryFilesWorkerUrl as queryFilesWorkerUrl, type QueryFilePool } from "./workers/work.ts";

export const createFiles = (ctx: Context): { readonly routes: BoundRoute[] } => ({
	routes: createRoutes(ctx),
});
