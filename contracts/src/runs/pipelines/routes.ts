/** Routes of runs. */
import * as z from "zod";
import { patterned } from "../../core/bounded.ts";
import { envelope, errorDetail, paging, uuidParams } from "../../core/common.ts";
import { route } from "../../core/route.ts";
import { pipelinePaths } from "./paths.ts";
import { pipelineCreate, pipelineDetail, pipelineJob, pipelineStage, resultRow, runList } from "./shapes.ts";
import { EXPORT_FORMATS } from "./values.ts";

const BODY_LIMIT = 16 * 1024 * 1024;

const stageParam = patterned(/^[0-9]{1,4}$/, 4, "Must be the index of a stage.").transform(Number);

const base = { throttle: "user", permission: "view_pipelineexecution" } as const;
const read = { ...base, audit: { none: "reads" } } as const;

export const pipelineRoutes = {
	create: route({
		...pipelinePaths.create,
		...base,
		summary: "Run a canvas against a controller, in the background",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_run" },
		body: pipelineCreate,
		bodyLimit: BODY_LIMIT,
		answers: { 201: pipelineJob },
	}),
	list: route({
		...pipelinePaths.list,
		...read,
		summary: "The caller's runs, newest first",
		query: runList,
		answers: { 200: envelope(pipelineJob) },
	}),
	detail: route({
		...pipelinePaths.detail,
		...read,
		summary: "A run with its stages",
		params: uuidParams,
		answers: { 200: pipelineDetail },
	}),
	stages: route({
		...pipelinePaths.stages,
		...read,
		summary: "The stages of a run",
		params: uuidParams,
		answers: { 200: z.array(pipelineStage) },
	}),
	/** With `export` the answer is the whole result as a file. */
	results: route({
		...pipelinePaths.results,
		...read,
		summary: "The rows of a completed run, in pages or as one file (export)",
		params: uuidParams,
		query: z.object({
			...paging,
			stage: stageParam.optional(),
			export: z.enum(EXPORT_FORMATS, { error: `Must be one of: ${EXPORT_FORMATS.join(", ")}.` }).optional(),
		}),
		answers: { 200: envelope(resultRow), 409: errorDetail },
	}),
	cancel: route({
		...pipelinePaths.cancel,
		...base,
		summary: "Stop a run that has not ended",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_cancel" },
		params: uuidParams,
		answers: { 200: pipelineJob },
	}),
} as const;
