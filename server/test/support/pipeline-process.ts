/** A process of its own that executes runs, with its own bounds, on a scripted controller. */

import { createPipelines, type PipelineBounds, type Pipelines } from "../../src/areas/runs/pipelines/index.ts";
import { executeRun } from "../../src/areas/runs/pipelines/jobs.ts";
import type { Context } from "../../src/context.ts";
import { createEvents } from "../../src/core/events.ts";
import type { ControllerDriver } from "../../src/integrations/apic/port.ts";
import type { TestApp, TestUser } from "./harness.ts";

export interface PipelineProcess extends PipelineBounds {
	readonly driver: Pick<ControllerDriver, "pages" | "count">;
	/** Replaces parts of the app's context. */
	readonly parts?: Partial<Context>;
}

export interface PipelineExecutor extends Pipelines {
	/** Executes a run as its queue task does. */
	execute(jobId: string, signal: AbortSignal): Promise<void>;
}

export function createPipelineProcess(
	{ app, deps }: TestApp,
	{ driver, parts = {}, ...bounds }: PipelineProcess,
): PipelineExecutor {
	const areas = { ...app.context.areas };
	const ctx: Context = {
		...app.context,
		events: createEvents(deps.jobs),
		controllers: { ...deps.controllers, ...driver },
		resultDays: 7,
		changesDays: 90,
		areas,
		...parts,
	};
	const pipelines = createPipelines(ctx, ctx, bounds);
	Object.assign(areas, { pipelines });
	return { ...pipelines, execute: (jobId, signal) => executeRun(ctx, jobId, signal) };
}

/** A connection of the user, to a controller that no test reaches. */
export async function addUnusedConnection(user: TestUser): Promise<{ id: string; name: string }> {
	const { body } = await user.api.post("/api/controller/connections/", {
		name: "Fabric",
		url: "http://controller.test",
		username: "u",
		password: "p",
	});
	return { id: body.id, name: body.name };
}
