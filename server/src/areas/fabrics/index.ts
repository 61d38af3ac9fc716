/**
 * Controller connections: stored credentials, their test and pass-through, and targets for the
 * areas that query.
 */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import { recordClusterChanges } from "./confirm-cluster-change.ts";
import { type ConnectionMetrics, readSuccessSamples, readUpSamples } from "./read-connection-metrics.ts";
import { createGroupRoutes, createRoutes } from "./routes.ts";

export interface Fabrics {
	readonly routes: BoundRoute[];
	readonly metrics: ConnectionMetrics;
	/** Resolves when all changes of clusters until now are stored. */
	awaitClusterChanges(): Promise<void>;
}

export const createFabrics = (ctx: Context): Fabrics => ({
	routes: [...createRoutes(ctx), ...createGroupRoutes(ctx)],
	metrics: {
		up: () => readUpSamples(ctx),
		lastSuccess: () => readSuccessSamples(ctx),
	},
	awaitClusterChanges: recordClusterChanges(ctx),
});
