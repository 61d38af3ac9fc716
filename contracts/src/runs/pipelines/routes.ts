/** Routes of runs. */
import * as z from "zod";
import { definePatternText } from "../../core/bounded.ts";
import { defineEnvelope, errorDetail, paging, uuidParams } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { pipelinePaths } from "./paths.ts";
import { pipelineCreate, pipelineDetail, pipelineJob, pipelineStage, resultRow, runList } from "./shapes.ts";
import { EXPORT_FORMATS } from "./values.ts";

const BODY_LIMIT = 16 * 1024 * 1024;

const stageParam = definePatternText(/^[0-9]{1,4}$/, 4, "Must be the index of a stage.").transform(Number);

const base = { throttle: "user", permission: "view_pipelineexecution" } as const;
const read = { ...base, audit: { none: "reads" } } as const;

export const pipelineRoutes = {
	create: defineRoute({
		...pipelinePaths.create,
		...base,
		summary: "Run a canvas against a controller, in the background",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_run" },
		body: pipelineCreate,
		bodyLimit: BODY_LIMIT,
		answers: { 201: pipelineJob },
	}),
	list: defineRoute({
		...pipelinePaths.list,
		...read,
		summary: "The caller's runs, newest first",
		query: runList,
		answers: { 200: defineEnvelope(pipelineJob) },
	}),
	detail: defineRoute({
		...pipelinePaths.detail,
		...read,
		summary: "A run with its stages",
		params: uuidParams,
		answers: { 200: pipelineDetail },
	}),
	stages: defineRoute({
		...pipelinePaths.stages,
		...read,
		summary: "The stages of a run",
		params: uuidParams,
		answers: { 200: z.array(pipelineStage) },
	}),
	/** With `export` the answer is the whole result as a file. */
	results: defineRoute({
		...pipelinePaths.results,
		...read,
		summary: "The rows of a completed run, in pages or as one file (export)",
		params: uuidParams,
		query: z.object({
			...paging,
			stage: stageParam.optional(),
			export: z.enum(EXPORT_FORMATS, { error: `Must be one of: ${EXPORT_FORMATS.join(", ")}.` }).optional(),
		}),
		answers: { 200: defineEnvelope(resultRow), 409: errorDetail },
	}),
	cancel: defineRoute({
		...pipelinePaths.cancel,
		...base,
		summary: "Stop a run that has not ended",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "query_cancel" },
		params: uuidParams,
		answers: { 200: pipelineJob },
	}),
} as const;
