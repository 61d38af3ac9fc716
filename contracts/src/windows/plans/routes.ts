/** The routes of change plans. */
import type * as z from "zod";
import { defineEnvelope, uuidParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRoute } from "../../core/route.ts";
import { changePlanPaths } from "./paths.ts";
import { planPreview } from "./preview-shapes.ts";
import {
	changePlan,
	changePlanCreateBody,
	changePlanListQuery,
	changePlanPatchBody,
	changePlanPreviewBody,
	changePlanTemplate,
	changePlanTemplateParams,
} from "./shapes.ts";

const { list, create, ...one } = defineCrudRoutes({
	paths: changePlanPaths,
	noun: "change plan",
	permission: "changeplan",
	audit: { category: "time_machine", action: "change_plan" },
	shapes: { item: changePlan, query: changePlanListQuery, create: changePlanCreateBody, update: changePlanPatchBody },
	summary: {
		list: "The caller's own change plans and public ones",
		update: "Change some fields and make a new revision; equal values change nothing",
		remove: "Delete a change plan; windows keep their copies",
	},
});

export const changePlanRoutes = {
	list,
	create,
	templates: defineRoute({
		...changePlanPaths.templates,
		throttle: "user",
		summary: "Built-in change plans for upgrades, replacements and changes of Cisco ACI fabrics",
		permission: "view_changeplan",
		audit: { none: "read" },
		answers: { 200: defineEnvelope(changePlanTemplate) },
	}),
	install: defineRoute({
		...changePlanPaths.install,
		throttle: "user",
		summary: "Save a built-in plan with its queries and checks; reuses those that were saved from it before",
		permission: "add_changeplan",
		audit: { category: "time_machine", action: "change_plan_install" },
		params: changePlanTemplateParams,
		answers: { 201: changePlan },
	}),
	...one,
	preview: defineRoute({
		...changePlanPaths.preview,
		throttle: "user",
		summary: "Findings between the two latest snapshots of each query; stores nothing",
		permission: "view_changeplan",
		audit: { none: "changes nothing" },
		params: uuidParams,
		body: changePlanPreviewBody,
		answers: { 200: planPreview },
	}),
} as const;

export type ChangePlanPreviewBody = z.output<typeof changePlanPreviewBody>;
