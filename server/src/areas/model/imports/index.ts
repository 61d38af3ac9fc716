/**
 * The model registry: which versions of the class model are installed, and importing another one.
 */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import type { Repeating } from "../../../core/repeating.ts";
import type { BoundChannel } from "../../../core/ws/hub.ts";
import { createChannel } from "./channels.ts";
import { createWorker } from "./jobs.ts";
import { createRoutes } from "./routes.ts";

export interface ModelImports {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
	readonly queues: JobQueue[];
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createModelImports(ctx: Context): ModelImports {
	const worker = createWorker(ctx);
	return {
		routes: createRoutes(ctx),
		channels: [createChannel(ctx)],
		queues: [worker.queue],
		work: worker.start,
	};
}
