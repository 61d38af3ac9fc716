/** The class model: the loaded version in memory, and the explorer over it. */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { CurrentModel } from "../../core/ports/class-model.ts";
import { type Comparisons, createComparisons } from "./compare-model-versions.ts";
import { createLoadedModel, type LoadedModel } from "./loaded.ts";
import { createRoutes } from "./routes.ts";
import { createImageBuildings, type ImageBuilding } from "./workers/work.ts";

export { getModelWorkerUrl as modelWorkerUrl, type ModelPools } from "./workers/work.ts";

export interface ModelArea {
	readonly routes: BoundRoute[];
	readonly loaded: LoadedModel;
	/** The last comparisons of two versions. */
	readonly comparisons: Comparisons;
	/** Begins an image that is built while its documents are read. */
	beginImage(): ImageBuilding;
	/**
	 * The loaded model for planning and checking queries; null without one. Rejects while it cannot
	 * be read.
	 */
	readonly graph: CurrentModel;
}

export function createModel(ctx: Context): ModelArea {
	const loaded = createLoadedModel(ctx);
	return {
		routes: createRoutes(ctx),
		loaded,
		comparisons: createComparisons(),
		beginImage: createImageBuildings(ctx.modelPools),
		graph: async () => (await loaded.current())?.graph ?? null,
	};
}
